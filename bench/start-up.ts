import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { command, startPayments, stop } from "./service-process.ts";

const rounds = 30;
const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];

/** Whole commands, from start to end, against a Node that does nothing. */
export async function measureStartUp(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const packager = new URL("../bin/package.js", import.meta.url).pathname;
  execFileSync(process.execPath, [packager, folder], { stdio: "ignore" });
  const service = await startPayments(`sqlite:${join(folder, "payments.db")}`);
  const node = [process.execPath, command];
  const executable = [join(folder, "payments")];
  const remote = { PAYMENTS_BASE_URL: service.url, PAYMENTS_API_KEY: service.key };
  type Run = { argv: string[]; env?: Record<string, string>; floor: string };
  const runs: Record<string, Run> = {
    "node -e 0": { argv: [process.execPath, "-e", "0"], floor: "" },
    "payments --version": { argv: [...node, "--version"], floor: "≤ 2.5" },
    "payments list, running service": { argv: [...node, "list"], env: remote, floor: "≤ 4.8" },
    "payments create, embedded": { argv: [...node, ...visa], floor: "≤ 8.4" },
    "the executable: payments list": { argv: [...executable, "list"], env: remote, floor: "≤ 4" },
    "the executable: payments create": { argv: [...executable, ...visa], floor: "≤ 7" },
  };
  const timesMs: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { argv, env }] of Object.entries(runs)) {
      const [program = "", ...rest] = argv;
      const startMs = performance.now();
      const { status } = spawnSync(program, rest, {
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
