/**
 * `npm run mutations [-- words]`: breaks the source in each of the chosen places, one at a time, in a copy, and tells
 * whether the tests notice. With words only the mutations whose name or file holds one of them. The run fails
 * where a mutation is not caught, where its text is no longer in the file, or where its tests fail unbroken.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
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
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, "node_modules", program), ...args], {
    cwd: copy,
    encoding: "utf8",
  });

const build = () => {
  const { status, stderr } = spawnSync(process.execPath, ["bin/build.js"], {
    cwd: copy,
    encoding: "utf8",
  });
  return status === 0 ? undefined : stderr;
};

/** How a mutation's tests end, or undefined where they did not run. */
const runTests = ({ tests, project = "sqlite" }: Mutation, bail: number): Report | undefined => {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  run(
    "vitest/vitest.mjs",
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
const chosen = mutations.filter(
  ({ breaks, file }) =>
    words.length === 0 || words.some((word) => breaks.includes(word) || file.includes(word)),
);

let bad = 0;
const tell = (verdict: string, { breaks, file }: Mutation) => {
  if (verdict !== "caught") bad += 1;
  console.log(`${verdict.padEnd(8)}  ${file}: ${breaks}`);
};

build();
const unbroken = new Map<string, boolean>();
const passUnbroken = (mutation: Mutation) => {
  const key = [mutation.project, ...mutation.tests].join(" ");
  const known = unbroken.get(key);
  if (known !== undefined) return known;
  const report = runTests(mutation, 0);
  const passes = report !== undefined && report.numPassedTests > 0 && !isCaught(report);
  unbroken.set(key, passes);
  return passes;
};

for (const mutation of chosen) {
  const file = join(copy, "src", mutation.file);
  const text = readFileSync(file, "utf8");
  const pieces = text.split(mutation.from);
  if (pieces.length !== 2) {
    tell("not found", mutation);
    continue;
  }
  if (!passUnbroken(mutation)) {
    tell("tests fail unbroken", mutation);
    continue;
  }
  writeFileSync(file, pieces.join(mutation.to));
  // The tests of the command run what is built. A build that fails shows nothing: the tests must notice.
  const isBuilt = mutation.tests.some((test) => /^(bin|cli|e2e)\//.test(test));
  const failure = isBuilt ? build() : undefined;
  tell(
    failure === undefined
      ? isCaught(runTests(mutation, 1))
        ? "caught"
        : "MISSED"
      : "does not build",
    mutation,
  );
  writeFileSync(file, text);
  if (isBuilt) build();
}
console.log(`${chosen.length - bad} of ${chosen.length} caught`);
if (bad > 0 || chosen.length === 0) process.exitCode = 1;
