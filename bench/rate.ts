import type { ChildProcess } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import autocannon, { type Request } from "autocannon";
import { type Figure, median } from "./figure.ts";

/** Requests a second, and the processor time of each: that of the process which answers them, and of those it started. */
export type Rate = { perSecond: number; processorUs: number };

/** The processor time of a process, in milliseconds. Linux alone tells it so exactly. */
export function readOwnProcessorMs({ pid = 0 }: Pick<ChildProcess, "pid">): number {
  return globSync(`/proc/${pid}/task/*/schedstat`).reduce(
    (sum, file) => sum + Number(readFileSync(file, "utf8").split(" ", 1)[0]) / 1e6,
    0,
  );
}

/** The processor time of a process and of those that it started, in milliseconds. */
export function readProcessorMs({ pid = 0 }: Pick<ChildProcess, "pid">): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return children
    .filter((child) => child.trim() !== "")
    .reduce(
      (sum, child) => sum + readProcessorMs({ pid: Number(child) }),
      readOwnProcessorMs({ pid }),
    );
}

/** Requests for some seconds; one that fails ends the run. */
export async function measureRate(
  { url, child }: { url: string; child: ChildProcess },
  request: Request,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Rate> {
  const startMs = readProcessorMs(child);
  const result = await autocannon({ url, connections, duration: seconds, requests: [request] });
  const processorMs = readProcessorMs(child) - startMs;
  if (result.non2xx > 0 || result.errors > 0) throw new Error("Some requests failed.");
  return {
    perSecond: result["2xx"] / result.duration,
    processorUs: (processorMs / result["2xx"]) * 1000,
  };
}

export function medianRate(rates: Rate[]): Rate {
  return {
    perSecond: median(rates.map(({ perSecond }) => perSecond)),
    processorUs: median(rates.map(({ processorUs }) => processorUs)),
  };
}

/** The rate of processes that are loaded at once. */
export function addRates(rates: Rate[]): Rate {
  const perSecond = rates.reduce((sum, rate) => sum + rate.perSecond, 0);
  const spentUs = rates.reduce((sum, rate) => sum + rate.perSecond * rate.processorUs, 0);
  return { perSecond, processorUs: spentUs / perSecond };
}

/** A figure of two rates. Processor time stands beside them, since it depends less on what else the machine does. */
export function compareRates(
  what: string,
  ours: Rate,
  name: string,
  theirs: Rate,
  floor: string,
): Figure {
  return {
    what,
    ours: formatRate(ours),
    compared: `${name} ${formatRate(theirs)}`,
    ratio: ours.perSecond / theirs.perSecond,
    floor,
  };
}

function formatRate({ perSecond, processorUs }: Rate): string {
  return `${Math.round(perSecond)}/s, ${Math.round(processorUs)} µs`;
}
