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
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  let isFound = false; // `find` may go on to the next line whenever it is called
  const look = () => {
    const found = isFound ? undefined : find();
    if (found === undefined) return;
    isFound = true;
    resolve(found);
  };
  const fail = () => {
    look();
    if (!isFound) reject(new Error(describe()));
  };
  const timeout = setTimeout(fail, 120_000);
  for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
  child.on("close", fail);
  look();
  return await promise.finally(() => {
    clearTimeout(timeout);
    for (const stream of [child.stdout, child.stderr]) stream.off("data", look);
    child.off("close", fail);
  });
}
