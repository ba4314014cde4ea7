import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, median } from "./figure.ts";
import { command, start, startPayments, stop } from "./service-process.ts";

const rounds = 30;
const stripeFloors = { version: "≤ 0.49", list: "≤ 0.86", executable: "≤ 0.75" };
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
  const stripe = await stripeCli();
  type Run = { argv: string[]; env?: Record<string, string>; floor: string };
  const runs: Record<string, Run> = {
    "node -e 0": { argv: [process.execPath, "-e", "0"], floor: "" },
    ...stripe?.runs,
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
  stripe?.stop();
  const ready = await measureReady(join(folder, "ready.db"));
  rmSync(folder, { recursive: true });
  const figure = (name: string, than: string, floor: string): Figure => {
    const [oursMs, comparedMs] = [median(timesMs[name] ?? []), median(timesMs[than] ?? [])];
    return {
      what: `${name} ÷ ${than}`,
      ours: `${oursMs.toFixed(0)} ms`,
      compared: `${comparedMs.toFixed(0)} ms`,
      ratio: oursMs / comparedMs,
      floor,
    };
  };
  const ours = Object.entries(runs).filter(([, { floor }]) => floor !== "");
  return [
    ...ours.map(([name, { floor }]) => figure(name, "node -e 0", floor)),
    ...(stripe
      ? [
          figure("payments --version", "stripe --version", stripeFloors.version),
          figure("payments list, running service", "stripe charges list", stripeFloors.list),
          figure("the executable: payments list", "stripe charges list", stripeFloors.executable),
        ]
      : []),
    ready,
  ];
}

const readyRounds = 10;

/** How long a sandbox and a service take until they listen. */
async function measureReady(file: string): Promise<Figure> {
  const argvs = {
    sandbox: ["sandbox"],
    serve: ["serve", "--database", `sqlite:${file}`],
  };
  const timesMs: Record<keyof typeof argvs, number[]> = { sandbox: [], serve: [] };
  for (let round = 0; round <= readyRounds; round++) {
    for (const name of ["sandbox", "serve"] as const) {
      const startMs = performance.now();
      const running = await start([command, ...argvs[name], "--port", "0", "--json"]);
      if (round > 0) timesMs[name].push(performance.now() - startMs);
      await stop(running);
    }
  }
  const [oursMs, comparedMs] = [median(timesMs.sandbox), median(timesMs.serve)];
  return {
    what: "payments sandbox ÷ payments serve, until they listen",
    ours: `${oursMs.toFixed(0)} ms`,
    compared: `${comparedMs.toFixed(0)} ms`,
    ratio: oursMs / comparedMs,
    floor: "≤ 2",
  };
}

/**
 * Stripe's own command, if `npm install --no-save @stripe/cli` has installed it, and a server that responds with an
 * empty list.
 */
async function stripeCli() {
  const { platform, arch } = process;
  const require = createRequire(import.meta.url);
  let stripe: string;
  try {
    stripe = require.resolve(`@stripe/cli-${platform}-${arch}/bin/stripe`);
  } catch {
    return undefined;
  }
  const server = spawn(process.execPath, ["--eval", emptyLists], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(server.stdout, "data")) as [Buffer];
  const api = [
    "--api-key",
    `sk_test_${"0".repeat(24)}`,
    "--api-base",
    `http://127.0.0.1:${String(port)}`,
  ];
  const runs = {
    "stripe --version": { argv: [stripe, "--version"], floor: "" },
    "stripe charges list": { argv: [stripe, "charges", "list", ...api], floor: "" },
  };
  return { runs, stop: () => server.kill() };
}

const emptyLists = `
const server = require("node:http").createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"object":"list","url":"/v1/charges","data":[],"has_more":false}');
});
server.listen(0, "127.0.0.1", () => process.stdout.write(String(server.address().port)));
`;
