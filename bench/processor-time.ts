import type { ChildProcess } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

/** The processor time of a process and of those that it started, in milliseconds. Linux alone tells it so exactly. */
export function readProcessorMs({ pid = 0 }: Pick<ChildProcess, "pid">): number {
  const own = globSync(`/proc/${pid}/task/*/schedstat`).reduce(
    (sum, file) => sum + Number(readFileSync(file, "utf8").split(" ", 1)[0]) / 1e6,
    0,
  );
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return children
    .filter((child) => child.trim() !== "")
    .reduce((sum, child) => sum + readProcessorMs({ pid: Number(child) }), own);
}
