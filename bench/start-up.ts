import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { command, startPayments, stop } from "./service-process.ts";

const rounds = 30;

/** Whole commands, from start to end, against a Node that does nothing. */
export async function measureStartUp(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const service = await startPayments(`sqlite:${join(folder, "payments.db")}`);
  const remote = { PAYMENTS_BASE_URL: service.url, PAYMENTS_API_KEY: service.key };
  const runs: Record<string, { argv: string[]; env: Record<string, string>; floor: string }> = {
    "node -e 0": { argv: ["-e", "0"], env: {}, floor: "" },
    "payments --version": { argv: [command, "--version"], env: {}, floor: "" },
    "payments list, running service": { argv: [command, "list"], env: remote, floor: "≤ 8" },
    "payments list, embedded": { argv: [command, "list"], env: {}, floor: "" },
  };
  const timesMs: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { argv, env }] of Object.entries(runs)) {
      const startMs = performance.now();
      const { status } = spawnSync(process.execPath, argv, {
        env: { ...process.env, PAYMENTS_HOME: folder, ...env },
      });
      if (status !== 0) throw new Error(`${name} failed.`);
      if (round > 0) (timesMs[name] ??= []).push(performance.now() - startMs); // the first warms up
    }
  }
  await stop(service);
  rmSync(folder, { recursive: true });
  const bareMs = median(timesMs["node -e 0"] ?? []);
  return Object.entries(runs)
    .slice(1)
    .map(([name, { floor }]) => {
      const thisMs = median(timesMs[name] ?? []);
      return {
        what: name,
        ours: `${thisMs.toFixed(0)} ms`,
        compared: `node -e 0 ${bareMs.toFixed(0)} ms`,
        ratio: thisMs / bareMs,
        floor,
      };
    });
}
