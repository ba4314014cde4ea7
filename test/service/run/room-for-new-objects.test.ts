import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const allocating = (limited: boolean) => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { setImmediate as nextTurn } from "node:timers/promises";
  ${limited ? `import { limitRoomForNewObjects } from "./room-for-new-objects.ts"; limitRoomForNewObjects();` : ""}
  let most = 0;
  for (let turn = 0; turn < 400; turn++) {
    const kept = Array.from({ length: 20_000 }, (_, i) => ({ i }));
    await nextTurn(kept);
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    most = Math.max(most, space_size);
  }
  console.log(most / 1024 / 1024);
`;

function roomMiB(limited: boolean): number {
  const folder = new URL("../../../src/service/run/", import.meta.url);
  const argv = ["--input-type=module-typescript", "--max-semi-space-size=64", "--eval"];
  return Number(
    execFileSync(process.execPath, [...argv, allocating(limited)], {
      cwd: folder,
      encoding: "utf8",
    }),
  );
}

test("the room for new objects stays small where many are made", () => {
  expect(roomMiB(true)).toBeLessThanOrEqual(32);
  expect(roomMiB(false)).toBeGreaterThan(32);
});
