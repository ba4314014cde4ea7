import type { Reporter } from "vitest/node";

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
