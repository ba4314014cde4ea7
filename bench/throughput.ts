import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Request } from "autocannon";
import { type Figure, median } from "./figure.ts";
import { perSecond } from "./per-second.ts";
import { seed } from "./seed.ts";
import { startPayments, stop, type Running } from "./service-process.ts";

const stored = 100_000;
const rounds = 5;
const seconds = 4;
const connections = 32;
export const body = JSON.stringify({
  amount: 4999,
  currency: "eur",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
  customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
  description: "Order 1001",
  metadata: { order_id: "1001" },
});

type Load = { name: "create" | "retrieve" | "list"; floor: string; request: Request };

/** The service against a bare Fastify app that answers the same bytes: requests a second. */
export async function measureThroughput(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "payments.db")}`;
  const ids = await seed(database, stored);
  const ours = await startPayments(database);
  const headers = { authorization: `Bearer ${ours.key}`, "content-type": "application/json" };
  const loads: Load[] = [
    { name: "create", floor: "≥ 0.18", request: { method: "POST", path: "/v1/payments", body } },
    {
      name: "retrieve",
      floor: "≥ 0.4",
      request: { method: "GET", path: `/v1/payments/${ids[stored / 2]}` },
    },
    { name: "list", floor: "≥ 0.3", request: { method: "GET", path: "/v1/payments?limit=10" } },
  ];
  const bare = await startBare(await answersOf(ours.url, loads, headers));
  const figures: Figure[] = [];
  for (const { name, floor, request } of loads) {
    const asked = { ...request, headers };
    const [mine, theirs] = await inTurn([ours.url, asked], [bare.url, asked]);
    figures.push({
      what: `${name}, ${connections} connections, ${stored} payments stored`,
      ours: `${Math.round(mine)}/s`,
      compared: `bare Fastify ${Math.round(theirs)}/s`,
      ratio: mine / theirs,
      floor,
    });
  }
  const create = { method: "POST", path: "/v1/payments", body, headers } as const;
  // Both make a key for each request, and send it: so the one that measures does the same for both.
  const [keyed, plain] = await inTurn(
    [ours.url, { ...create, setupRequest: withHeader("idempotency-key") }],
    [ours.url, { ...create, setupRequest: withHeader("x-other-key") }],
  );
  figures.push({
    what: `create, an Idempotency-Key each, ${connections} connections`,
    ours: `${Math.round(keyed)}/s`,
    compared: `without ${Math.round(plain)}/s`,
    ratio: keyed / plain,
    floor: "≥ 0.35",
  });
  await Promise.all([stop(ours), stop(bare)]);
  rmSync(folder, { recursive: true });
  return figures;
}

/** The requests a second of two services or two kinds of requests, measured in turn: medians. */
async function inTurn(...asked: [string, Request][]): Promise<[number, number]> {
  const rates: number[][] = asked.map(() => []);
  for (const [url, request] of asked) await perSecond(url, request, { connections, seconds: 2 }); // warms up
  for (let round = 0; round < rounds; round++) {
    for (const [index, [url, request]] of asked.entries()) {
      rates[index]?.push(await perSecond(url, request, { connections, seconds }));
    }
  }
  const [first = [], second = []] = rates;
  return [median(first), median(second)];
}

function withHeader(name: string): (request: Request) => Request {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: randomUUID() } });
}

async function answersOf(url: string, loads: Load[], headers: Record<string, string>) {
  const answers: Record<string, string> = {};
  for (const { name, request } of loads) {
    const { method = "GET", path = "/" } = request;
    const init = method === "POST" ? { method, headers, body } : { headers };
    const answer = await fetch(url + path, init);
    answers[name] = await answer.text();
  }
  return answers;
}

async function startBare(answers: Record<string, string>): Promise<Running> {
  const script = new URL("bare-fastify.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(answers));
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: (JSON.parse(line) as { url: string }).url, child };
  }
  throw new Error("The bare app ended before it listened.");
}
