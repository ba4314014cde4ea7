import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request } from "autocannon";
import type { Figure } from "./figure.ts";
import { type Rate, compareRates, measureRate, medianRate } from "./rate.ts";
import { seed } from "./seed.ts";
import { type Running, startBare, startPayments, stop } from "./service-process.ts";

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

const names = ["create", "retrieve", "list"] as const;
type Name = (typeof names)[number];
type Load = { to: Running; request: Request };

/** The minimum ratios to an app that stores nothing, and to one that stores the same. */
const floors: Record<Name, [string, string]> = {
  create: ["≥ 0.18", "≥ 0.4"],
  retrieve: ["≥ 0.4", "≥ 0.5"],
  list: ["≥ 0.3", "≥ 0.45"],
};

/**
 * Requests a second of the service, against a bare Fastify app that answers the same bytes, and against one
 * that stores and finds the same rows in SQLite.
 */
export async function measureThroughput(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const [file, copy] = [join(folder, "payments.db"), join(folder, "bare.db")];
  const ids = await seed(`sqlite:${file}`, stored);
  copyFileSync(file, copy);
  const service = await startPayments(`sqlite:${file}`);
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const requests: Record<Name, Request> = {
    create: { method: "POST", path: "/v1/payments", body, headers },
    retrieve: { method: "GET", path: `/v1/payments/${ids[stored / 2]}`, headers },
    list: { method: "GET", path: "/v1/payments?limit=10", headers },
  };
  const answers = await fetchResponses(service.url, requests);
  const bare = await startBare("bare-fastify.ts", answers);
  const storing = await startBare("bare-sqlite.ts", { file: copy, created: answers.create });
  const figures: Figure[] = [];
  for (const name of names) {
    const what = `${name}, ${connections} connections, ${stored} payments stored`;
    const request = requests[name];
    const rates = await inTurn({
      ours: { to: service, request },
      bare: { to: bare, request },
      storing: { to: storing, request },
    });
    const [ofBare, ofStoring] = floors[name];
    figures.push(
      compareRates(what, rates.ours, "bare Fastify", rates.bare, ofBare),
      compareRates(`${name}, the same`, rates.ours, sqliteAlone, rates.storing, ofStoring),
    );
  }
  // Every app is sent an idempotency key, so that the load generator does the same work for each.
  const keyed = { ...requests.create, setupRequest: withHeader("idempotency-key") };
  const plain = { ...requests.create, setupRequest: withHeader("x-other-key") };
  const rates = await inTurn({
    keyed: { to: service, request: keyed },
    plain: { to: service, request: plain },
    storingKeyed: { to: storing, request: keyed },
    storingPlain: { to: storing, request: plain },
  });
  const what = `create, an Idempotency-Key each, ${connections} connections`;
  figures.push(
    compareRates(what, rates.keyed, "without", rates.plain, "≥ 0.35"),
    compareRates(`${what}, the same`, rates.keyed, sqliteAlone, rates.storingKeyed, "≥ 0.4"),
    compareRates(
      `${sqliteAlone}, a key each`,
      rates.storingKeyed,
      "without",
      rates.storingPlain,
      "",
    ),
  );
  await Promise.all([service, bare, storing].map(stop));
  rmSync(folder, { recursive: true });
  return figures;
}

const sqliteAlone = "Fastify and SQLite alone";

/** The rate of each, measured in turn: medians. */
async function inTurn<What extends string>(loads: Record<What, Load>): Promise<Record<What, Rate>> {
  const each = Object.entries<Load>(loads).map(([what, { to, request }]) => ({
    what,
    rates: [] as Rate[],
    measure: async (duration: number) =>
      measureRate(to, request, { connections, seconds: duration }),
  }));
  for (const { measure } of each) await measure(2); // warms up
  for (let round = 0; round < rounds; round++) {
    for (const { rates, measure } of each) rates.push(await measure(seconds));
  }
  return Object.fromEntries(each.map(({ what, rates }) => [what, medianRate(rates)])) as Record<
    What,
    Rate
  >;
}

function withHeader(name: string): (request: Request) => Request {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: randomUUID() } });
}

async function fetchResponses(url: string, requests: Record<Name, Request>) {
  const answers = await Promise.all(
    Object.entries(requests).map(async ([name, { path, ...init }]) => {
      const answer = await fetch(`${url}${path}`, init as RequestInit);
      return [name, await answer.text()];
    }),
  );
  return Object.fromEntries(answers) as Record<Name, string>;
}
