import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const shrunkMiB = 8;

/**
 * The maximum size of one of V8's spaces while objects are created and retained for some turns, in MiB. With
 * `isShrunk`, V8 has taken the space of earlier objects back.
 */
function measureMaxMiB(
  space: string,
  { isSmall, isShrunk = false, objects, retainedTurns, turns }: Load,
): number {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { setImmediate as nextTurn } from "node:timers/promises";
    ${isSmall ? `import { keepHeapSmall } from "./small-heap.ts"; keepHeapSmall();` : ""}
    const retained = [];
    let max = 0;
    const readMiB = () =>
      getHeapSpaceStatistics().find(({ space_name }) => space_name === "${space}").space_size / 1024 / 1024;
    async function load() {
      max = 0;
      for (let turn = 0; turn < ${turns}; turn++) {
        retained[turn % ${retainedTurns}] = Array.from({ length: ${objects} }, (_, i) => ({ i }));
        await nextTurn();
        max = Math.max(max, readMiB());
      }
    }
    await load();
    if (${isShrunk}) {
      gc({ execution: "sync", flavor: "last-resort" });
      if (readMiB() > ${shrunkMiB}) throw new Error("V8 has not taken the space back");
      await load();
    }
    console.log(max);
  `;
  const folder = new URL("../../../src/service/server", import.meta.url);
  const argv = [
    "--input-type=module-typescript",
    "--max-semi-space-size=64",
    "--expose-gc",
    // Threads of V8's own would collect older objects later on a busy machine.
    ...(space === "old_space" ? ["--single-threaded-gc"] : []),
    "--eval",
    script,
  ];
  return Number(execFileSync(process.execPath, argv, { cwd: folder, encoding: "utf8" }));
}

type Load = {
  isSmall: boolean;
  isShrunk?: boolean;
  objects: number;
  retainedTurns: number;
  turns: number;
};

test("the space for new objects stays small when many are created", () => {
  const load = { objects: 20_000, retainedTurns: 1, turns: 400 };
  expect(measureMaxMiB("new_space", { ...load, isSmall: true })).toBeLessThanOrEqual(32);
  expect(measureMaxMiB("new_space", { ...load, isSmall: false })).toBeGreaterThan(32);
});

test("the space for new objects grows again after V8 has taken it back", () => {
  const load = { objects: 20_000, retainedTurns: 1, turns: 400, isSmall: true, isShrunk: true };
  // How far, and after how many turns, is V8's own decision.
  expect(measureMaxMiB("new_space", load)).toBeGreaterThan(shrunkMiB);
});

test("the space for older objects does not grow with garbage", () => {
  const load = { objects: 500, retainedTurns: 1_000, turns: 6_000, isSmall: true };
  // V8 alone lets it grow to some 90 MiB, or to less where it finds its own collections slow: not compared with.
  expect(measureMaxMiB("old_space", load)).toBeLessThan(65);
});
