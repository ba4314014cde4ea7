// Packs the npm package into build/, checks it, and tries it as its users would: as a command in a home folder that
// is empty, on an old Node, and as a dependency of programs. It needs npm's registry, from which it installs.
//   node bin/package-npm.ts   after npm run build; prints each command, and ends at the first that fails
import { execSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("..", import.meta.url));
/** These are only run here: as devDependencies, every `npm ci` would install their 40 MB. */
const publint = "publint@0.3.25";
const areTheTypesWrong = "@arethetypeswrong/cli@0.18.5";
/** The compilers of programs: the last one of JavaScript, and the present one. */
const compilers = ["typescript@5.9", "typescript@7"];
/** The runners of tests in which programs start the service; docs/testing.md says what each needs. */
const runners = ["jest@30", "vitest@5", "mocha@12"];
/** For a machine that is busy with something else: their own limit is 2 to 5 s. */
const timeoutMs = 60_000;
const runnerCommands = [
  `NODE_OPTIONS=--experimental-vm-modules npx jest --testTimeout ${timeoutMs} jest.test`,
  ...["forks", "threads", "vmThreads", "vmForks"].map(
    (pool) => `npx vitest run --pool ${pool} --testTimeout ${timeoutMs} vitest.test`,
  ),
  `npx mocha --timeout ${timeoutMs} mocha.test.mjs`,
  "node --test node.test.mjs",
];
const moduleOptions = ["--module node16", "--module esnext --moduleResolution bundler"];
const strict =
  "--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --skipLibCheck false --target es2022 --types node";
const { platform, arch } = process;
const oldNode = `node-${platform}-${arch}@20`;

const work = mkdtempSync(join(tmpdir(), "payments-npm-"));
const env = createUserEnv(makeFolder("home"));
try {
  const archive = pack();
  checkPackage(archive);
  tryCommand(archive);
  tryPrograms(archive);
  tryRunners(archive);
  console.log(`\nThe package is right: ${archive}`);
} finally {
  rmSync(work, { recursive: true });
}

function pack(): string {
  for (const old of globSync(join(root, "build/payments-cli-*.tgz"))) rmSync(old);
  mkdirSync(join(root, "build"), { recursive: true });
  run(root, "npm pack --ignore-scripts --pack-destination build");
  const [archive = ""] = globSync(join(root, "build/payments-cli-*.tgz"));
  console.log(`${formatSize(archive)} packed`);
  return archive;
}

/** The package has ES modules alone, which programs in CommonJS import: that is the profile `esm-only`. */
function checkPackage(archive: string): void {
  run(root, `npx --yes ${publint} run ${archive} --strict`);
  run(root, `npx --yes ${areTheTypesWrong} ${archive} --profile esm-only --format ascii`);
}

function tryCommand(archive: string): void {
  const prefix = makeFolder("global");
  run(work, `npm install --global --prefix ${prefix} ${archive}`);
  run(work, `npm ls --global --prefix ${prefix}`);
  const payments = join(prefix, "bin/payments");
  run(work, `${payments} --version`);
  run(work, `${payments} create --amount 4999 --currency eur --test-card visa`);
  run(work, `${payments} list -o csv --fields amount,currency,status`);
  const manual = join(prefix, "share/man");
  if ("man" in manifest) run(work, `man --manpath ${manual} payments | head -5`);

  const old = makeFolder("old-node");
  run(old, `npm install --no-save ${oldNode}`);
  const [node] = globSync(join(old, "node_modules/node-*/bin/node"));
  const launcher = join(prefix, "lib/node_modules/payments-cli/bin/run.js");
  run(old, `${node} ${launcher} --version; test $? = 9`);
}

function tryPrograms(archive: string): void {
  const project = makeFolder("project");
  writeFileSync(join(project, "package.json"), '{"private":true,"type":"module"}');
  run(project, `npm install ${archive}`);
  run(project, "npm ls && npm ls --all --parseable | wc -l");
  const [whole, own] = ["node_modules", "node_modules/payments-cli"];
  console.log(`${formatSize(join(project, whole))} installed, of it`);
  console.log(`${formatSize(join(project, own))} the package itself`);

  for (const name of ["each-export.ts", "commonjs.cjs"]) {
    copyFileSync(join(root, "test/programs", name), join(project, name));
    run(project, `node ${name}`);
  }
  run(project, "npm install --save-dev @types/node@24");
  for (const compiler of compilers) {
    const folder = makeFolder(compiler);
    run(folder, `npm install --no-save ${compiler}`);
    const tsc = join(folder, "node_modules/typescript/bin/tsc");
    for (const options of moduleOptions) {
      run(project, `node ${tsc} ${strict} ${options} each-export.ts`);
    }
  }
}

/** Some give each test file a realm of its own, where nothing may ask which realm a value is of. */
function tryRunners(archive: string): void {
  const project = makeFolder("runners");
  writeFileSync(join(project, "package.json"), '{"private":true,"type":"module"}');
  cpSync(join(root, "test/programs/runners"), project, { recursive: true });
  run(project, `npm install ${archive} ${runners.join(" ")}`);
  for (const command of runnerCommands) run(project, command);
}

/** A user's environment: without variables of npm and payments, and without programs of this project. */
function createUserEnv(home: string): NodeJS.ProcessEnv {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const usersFolders = folders.filter((folder) => !folder.includes("node_modules"));
  const others = Object.entries(process.env).filter(([name]) => !/^(?:npm|payments)_/i.test(name));
  return {
    ...Object.fromEntries(others),
    PATH: [dirname(process.execPath), ...usersFolders].join(delimiter),
    HOME: home,
    NO_COLOR: "1",
    npm_config_cache: execSync("npm config get cache", { encoding: "utf8" }).trim(), // nothing is downloaded twice
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
  };
}

/** Prints a command and what it prints, errors too. */
function run(cwd: string, command: string): void {
  console.log(`\n$ ${command.replaceAll(work, "~")}`);
  execSync(`{ ${command}; } 2>&1`, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
}

function makeFolder(name: string): string {
  const folder = join(work, name);
  mkdirSync(folder);
  return folder;
}

function formatSize(path: string): string {
  return `${(measureBytes(path) / 1_000_000).toFixed(1)} MB`;
}

function measureBytes(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return globSync("**", { cwd: path })
    .map((name) => lstatSync(join(path, name)))
    .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}
