/**
 * `npm run mutations [-- words]`: breaks a copy of the source, one mutation at a time, and prints whether the tests
 * notice. With words it runs only the mutations of which the harm, the declaration, the file or a test contains one of
 * them. The run fails where a mutation is not caught, where it does not find its place once, or where its tests fail on
 * the unbroken source.
 */
import { spawnSync } from "node:child_process";
import { constants, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, mutations } from "./mutations.ts";
import { findPlaces, readParts } from "./place.ts";

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
const runTests = ({ tests, project }: Mutation, bail: number): Report | undefined => {
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
const parts = readParts();
const located = mutations.map((mutation) => ({
  mutation,
  places: findPlaces(mutation, parts),
}));
const selected = located.filter(({ mutation: { breaks, in: name, tests }, places }) => {
  const mentions = [breaks, name, ...tests, ...places.map(({ file }) => file)];
  return words.length === 0 || words.some((word) => mentions.some((text) => text.includes(word)));
});

let failures = 0;
const printVerdict = (verdict: string, { breaks, in: name }: Mutation) => {
  if (verdict !== "caught") failures += 1;
  console.log(`${verdict.padEnd(8)}  ${name}: ${breaks}`);
};

const failure = build();
if (failure !== undefined) throw new Error(`The unbroken source does not build: ${failure}`);
/** Whether what was built last is the broken source. */
let isBuiltBroken = false;
const restoreBuild = () => {
  if (isBuiltBroken) build();
  isBuiltBroken = false;
};
const passed = new Map<string, boolean>();
const passesUnbroken = (mutation: Mutation) => {
  const key = [mutation.project, ...mutation.tests].join(" ");
  const known = passed.get(key);
  if (known !== undefined) return known;
  restoreBuild();
  const report = runTests(mutation, 0);
  const passes = report !== undefined && report.numPassedTests > 0 && !isCaught(report);
  passed.set(key, passes);
  return passes;
};

for (const { mutation, places } of selected) {
  const [place] = places;
  if (!place || places.length > 1) {
    printVerdict("not found", mutation);
    continue;
  }
  if (!passesUnbroken(mutation)) {
    printVerdict("tests fail unbroken", mutation);
    continue;
  }
  // The tests of the command run the built command. A build that fails proves nothing about the tests.
  const isBuilt = mutation.tests.some((test) => /^(bin|cli|e2e)\//.test(test));
  if (!isBuilt) restoreBuild();
  const file = join(copy, "src", place.file);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.slice(0, place.start) + mutation.to + text.slice(place.end));
  isBuiltBroken = isBuilt;
  if (isBuilt && build() !== undefined) printVerdict("does not build", mutation);
  else printVerdict(isCaught(runTests(mutation, 1)) ? "caught" : "MISSED", mutation);
  writeFileSync(file, text);
}
console.log(`${selected.length - failures} of ${selected.length} caught`);
if (failures > 0 || selected.length === 0) process.exitCode = 1;
