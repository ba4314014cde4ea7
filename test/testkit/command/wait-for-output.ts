import type { ChildProcessWithoutNullStreams } from "node:child_process";

/**
 * Waits until `find` finds something in the output of a process, which is looked at again whenever it has grown.
 * Errors: the process has ended without it, or it has not come in two minutes; `describe` says what is missing.
 */
export async function waitForOutput<Found>(
  child: ChildProcessWithoutNullStreams,
  find: () => Found | undefined,
  describe: () => string,
): Promise<Found> {
  const streams = [child.stdout, child.stderr];
  let look: () => void = () => {};
  let fail: () => void = () => {};
  const timeout = setTimeout(() => fail(), 120_000);
  return await new Promise<Found>((resolve, reject) => {
    look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    fail = () => {
      look();
      reject(new Error(describe()));
    };
    for (const stream of streams) stream.on("data", look);
    child.on("close", fail);
    look();
  }).finally(() => {
    clearTimeout(timeout);
    for (const stream of streams) stream.off("data", look);
    child.off("close", fail);
  });
}
