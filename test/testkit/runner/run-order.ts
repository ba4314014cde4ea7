import { BaseSequencer, type Reporter, type TestSpecification } from "vitest/node";

/** Files that are small, but take long: vitest would begin with the large ones, and wait for these alone at the end. */
const slow = [
  "e2e/network-killed.test.ts",
  "e2e/challenge-killed.test.ts",
  "e2e/invocations.test.ts",
  "e2e/webhooks-killed.test.ts",
  "service/database/store.test.ts",
];

/** Runs the projects in vitest's order, and the slow files of each before its others. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // oxlint-disable-line unicorn/no-array-sort -- no array
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((each) =>
      each.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a))),
    );
  }
}

function isSlow({ moduleId }: TestSpecification): boolean {
  return slow.some((name) => moduleId.endsWith(`/test/${name}`));
}

/** Says at the end of a run how many tests were skipped, and why: vitest's default report only counts them. */
export const skippedReporter: Reporter = {
  onTestRunEnd: (modules) => {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap(({ children }) => [...children.allTests("skipped")])) {
      const result = test.result();
      const reason = result.state === "skipped" ? result.note : undefined;
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) {
      process.stdout.write(`Skipped ${count} ${count === 1 ? "test" : "tests"}: ${reason}.\n`);
    }
  },
};
