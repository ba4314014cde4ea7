import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** The most that one of V8's rooms takes while objects are made and kept for a while, in MiB. */
function mostMiB(room: string, { isSmall, made, keptFor, turns }: Load): number {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { setImmediate as nextTurn } from "node:timers/promises";
    ${isSmall ? `import { keepHeapSmall } from "./small-heap.ts"; keepHeapSmall();` : ""}
    const kept = [];
    let most = 0;
    for (let turn = 0; turn < ${turns}; turn++) {
      kept[turn % ${keptFor}] = Array.from({ length: ${made} }, (_, i) => ({ i }));
      await nextTurn();
      const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "${room}");
      most = Math.max(most, space_size);
    }
    console.log(most / 1024 / 1024);
  `;
  const folder = new URL("../../../src/service/server/", import.meta.url);
  const argv = ["--input-type=module-typescript", "--max-semi-space-size=64", "--eval", script];
  return Number(execFileSync(process.execPath, argv, { cwd: folder, encoding: "utf8" }));
}

type Load = { isSmall: boolean; made: number; keptFor: number; turns: number };

test("the room for new objects stays small where many are made", () => {
  const load = { made: 20_000, keptFor: 1, turns: 400 };
  expect(mostMiB("new_space", { ...load, isSmall: true })).toBeLessThanOrEqual(32);
  expect(mostMiB("new_space", { ...load, isSmall: false })).toBeGreaterThan(32);
});

test("the room for older ones does not grow to what garbage would fill", () => {
  const load = { made: 500, keptFor: 1_000, turns: 6_000 };
  const without = mostMiB("old_space", { ...load, isSmall: false });
  expect(mostMiB("old_space", { ...load, isSmall: true })).toBeLessThan(0.8 * without);
});
