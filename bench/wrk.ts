import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Rate, readProcessorMs } from "./rate.ts";
import type { Running } from "./service-process.ts";

export type Load = {
  to: Running;
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  /** Of a POST; without it the request is a GET. `{n}` in it becomes the number of the request, `{n%9}` its remainder. */
  body?: string;
  path: string | string[];
  isKeyed?: boolean;
};

/**
 * Requests a second by `wrk` (apt-get install wrk), which takes less of the machine than a load generator in Node, so
 * that its own work hides less of the difference. `path`: a list has each of its paths requested once. One request
 * that fails ends the run.
 */
export async function measureWithWrk(load: Load): Promise<Rate & { p99Ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), "payments-wrk-"));
  try {
    const script = join(folder, "requests.lua");
    writeFileSync(script, toScript(load));
    const { to, connections, seconds } = load;
    const argv = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", script, to.url];
    const startMs = readProcessorMs(to.child);
    const child = spawn("wrk", argv, { stdio: ["ignore", "pipe", "inherit"] });
    const output = await text(child.stdout);
    const processorMs = readProcessorMs(to.child) - startMs;
    const [, requests, us, p99Us, failed] = /^figures (\d+) (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
    if (failed !== "0") throw new Error(`Some requests failed:\n${output}`);
    return {
      perSecond: (Number(requests) / Number(us)) * 1e6,
      processorUs: (processorMs / Number(requests)) * 1000,
      p99Ms: Number(p99Us) / 1000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const numberBody = ':gsub("{n}", count):gsub("{n%%(%d+)}", function(m) return count % m end)';

function toScript({ headers = {}, body, path, isKeyed = false }: Load): string {
  const paths = typeof path === "string" ? [path] : path;
  const all = { "content-type": "application/json", ...headers };
  return `
paths = {${paths.map((each) => JSON.stringify(each)).join(",")}}
headers = {${Object.entries(all)
    .map(([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
    .join(",")}}
body = ${body === undefined ? "nil" : JSON.stringify(body)}
local count = 0
math.randomseed(os.time())
local run = tostring(math.random(1, 1e9))
function request()
  count = count + 1
  ${isKeyed ? `headers["idempotency-key"] = run .. "-" .. count` : ""}
  local sent = body${/\{n[%}]/.test(body ?? "") ? numberBody : ""}
  return wrk.format(body and "POST" or "GET", paths[(count - 1) % #paths + 1], headers, sent)
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("figures %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;
}
