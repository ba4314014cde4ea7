import { BaseSequencer, type TestSpecification } from "vitest/node";

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
