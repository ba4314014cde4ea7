import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type Figure, median } from "./figure.ts";
import { seed } from "./seed.ts";
import { command, startPayments, stop } from "./service-process.ts";

const stored = 200_000;
const rounds = 3;
/** For a list of ten payments of a running service. */
const mostMiB = 70;
const planned = 100_000;
/** For the plan of a file of so many payments. */
const mostPlannedMiB = 120;
/** The minimum size of a payment in any format. */
const leastBytes = 100;
const short = ["list", "--limit", "10"];
const long = [
  ["list", "--all", "-o", "ndjson"],
  ["list", "--all", "-o", "csv"],
  ["list", "--all", "--json"],
];

/** The peak memory of a list of everything, against that of a list of ten payments; and that of a large file's refunds. */
export async function measureMemory(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "payments.db")}`;
  await seed(database, stored);
  const service = await startPayments(database);
  const targets: Record<string, Record<string, string>> = {
    "running service": { PAYMENTS_BASE_URL: service.url, PAYMENTS_API_KEY: service.key },
    embedded: { PAYMENTS_DATABASE: database },
  };
  const figures: Figure[] = [];
  for (const [target, settings] of Object.entries(targets)) {
    const env = { ...process.env, PAYMENTS_HOME: folder, ...settings };
    const shortKiB = await peakKiB(short, env, 10);
    figures.push({
      what: `${short.join(" ")}, ${target}`,
      ours: mebibytes(shortKiB),
      compared: `${mostMiB} MiB`,
      ratio: shortKiB / 1024 / mostMiB,
      floor: target === "running service" ? "≤ 1" : "",
    });
    for (const argv of long) {
      const longKiB = await peakKiB(argv, env, stored);
      figures.push({
        what: `${argv.join(" ")}, ${stored} payments, ${target}`,
        ours: mebibytes(longKiB),
        compared: `${short.join(" ")} ${mebibytes(shortKiB)}`,
        ratio: longKiB / shortKiB,
        floor: "≤ 1.75",
      });
    }
  }
  const env = { ...process.env, PAYMENTS_HOME: folder, ...targets["running service"] };
  figures.push(await measurePlan(join(folder, "payments.csv"), env));
  await stop(service);
  rmSync(folder, { recursive: true });
  return figures;
}

/** A plan of refunds has each payment of its file in memory. */
async function measurePlan(file: string, env: NodeJS.ProcessEnv): Promise<Figure> {
  const list = [command, "list", "--limit", String(planned), "-o", "csv"];
  const printed = execFileSync(process.execPath, list, {
    env,
    maxBuffer: Infinity,
    stdio: ["ignore", "pipe", "ignore"],
  });
  writeFileSync(file, printed);
  const kiB = await peakKiB(["refund", "--from", file, "--dry-run", "--json"], env, 1);
  return {
    what: `refund --from, ${planned} payments, running service`,
    ours: mebibytes(kiB),
    compared: `${mostPlannedMiB} MiB`,
    ratio: kiB / 1024 / mostPlannedMiB,
    floor: "≤ 1",
  };
}

async function peakKiB(argv: string[], env: NodeJS.ProcessEnv, payments: number): Promise<number> {
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round++) peaks.push(await peakOfOneKiB(argv, env, payments));
  return median(peaks);
}

/**
 * The process itself reports its peak when it ends. Where the system tells it apart, without the memory of the process
 * that started it, which getrusage counts until the new program begins.
 */
export const reportPeakMemory = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync, writeSync } from "node:fs";
  const status = "/proc/self/status";
  const ownKiB = () => /VmHWM:\\s+(\\d+)/.exec(readFileSync(status, "utf8"))?.[1];
  const peakKiB = () => (existsSync(status) && ownKiB()) || process.resourceUsage().maxRSS;
  process.on("exit", () => writeSync(3, String(peakKiB())));
`)}`;

async function peakOfOneKiB(argv: string[], env: NodeJS.ProcessEnv, payments: number) {
  const child = spawn(process.execPath, ["--import", reportPeakMemory, command, ...argv], {
    env,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  });
  const [, output, , report] = child.stdio as [null, Readable, null, Readable, undefined];
  let bytes = 0;
  output.on("data", (chunk: Buffer) => (bytes += chunk.length));
  const [peak] = await Promise.all([text(report), once(output, "end")]);
  if (peak === "" || bytes < payments * leastBytes) {
    throw new Error(`${argv.join(" ")} gave ${bytes} bytes.`);
  }
  return Number(peak);
}

function mebibytes(kibibytes: number): string {
  return `${(kibibytes / 1024).toFixed(0)} MiB`;
}
