/**
 * `npm run mutations [-- words]`: breaks a copy of the source, one mutation at a time, and prints whether the tests
 * notice. With words it runs only the mutations whose name or file contains one of them. The run fails where a
 * mutation is not caught, where its text is not in the file once, or where its tests fail on the unbroken source.
 */
import { spawnSync } from "node:child_process";
import {
  constants,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutation } from "./mutation.ts";

type Report = { numPassedTests: number; numFailedTests: number; numFailedTestSuites: number };

const root = join(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "payments-mutations-"));
process.once("exit", () => {
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const files = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root });
for (const file of String(files.stdout).split("\n").filter(Boolean)) {
  cpSync(join(root, file), join(copy, file));
}
// Copied too: the build looks packages up in package-lock.json by their folders, which a link would put elsewhere.
cpSync(join(root, "node_modules"), join(copy, "node_modules"), {
  recursive: true,
  verbatimSymlinks: true,
  mode: constants.COPYFILE_FICLONE,
});

const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });

const build = () => {
  const { status, stderr } = run("bin/build.js");
  return status === 0 ? undefined : stderr;
};

/** The report of a mutation's tests, or undefined where they did not run. */
const runTests = ({ tests, project = "sqlite" }: Mutation, bail: number): Report | undefined => {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  run(
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config=test/vitest.config.ts",
    `--project=${project}`,
    `--bail=${bail}`,
    "--reporter=json",
    `--outputFile=${report}`,
    ...tests,
  );
  try {
    return JSON.parse(readFileSync(report, "utf8")) as Report;
  } catch {
    return undefined;
  }
};

const isCaught = (report: Report | undefined) =>
  report !== undefined && report.numFailedTests + report.numFailedTestSuites > 0;

const words = process.argv.slice(2);
const mutations: Mutation[] = [];
for (const file of globSync("*.mutations.ts", { cwd: import.meta.dirname }).toSorted()) {
  const module = (await import(`./${file}`)) as { mutations: readonly Mutation[] };
  mutations.push(...module.mutations);
}
const selected = mutations.filter(
  ({ breaks, file }) =>
    words.length === 0 || words.some((word) => breaks.includes(word) || file.includes(word)),
);

let failures = 0;
const printVerdict = (verdict: string, { breaks, file }: Mutation) => {
  if (verdict !== "caught") failures += 1;
  console.log(`${verdict.padEnd(8)}  ${file}: ${breaks}`);
};

const failure = build();
if (failure !== undefined) throw new Error(`The unbroken source does not build: ${failure}`);
const passed = new Map<string, boolean>();
const passesUnbroken = (mutation: Mutation) => {
  const key = [mutation.project, ...mutation.tests].join(" ");
  const known = passed.get(key);
  if (known !== undefined) return known;
  const report = runTests(mutation, 0);
  const passes = report !== undefined && report.numPassedTests > 0 && !isCaught(report);
  passed.set(key, passes);
  return passes;
};

for (const mutation of selected) {
  const file = join(copy, "src", mutation.file);
  const text = readFileSync(file, "utf8");
  const pieces = text.split(mutation.from);
  if (pieces.length !== 2) {
    printVerdict("not found", mutation);
    continue;
  }
  if (!passesUnbroken(mutation)) {
    printVerdict("tests fail unbroken", mutation);
    continue;
  }
  writeFileSync(file, pieces.join(mutation.to));
  // The tests of the command run the built command. A build that fails proves nothing about the tests.
  const isBuilt = mutation.tests.some((test) => /^(bin|cli|e2e)\//.test(test));
  if (isBuilt && build() !== undefined) printVerdict("does not build", mutation);
  else printVerdict(isCaught(runTests(mutation, 1)) ? "caught" : "MISSED", mutation);
  writeFileSync(file, text);
  if (isBuilt) build();
}
console.log(`${selected.length - failures} of ${selected.length} caught`);
if (failures > 0 || selected.length === 0) process.exitCode = 1;
