import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { PaymentList } from "../../src/contract/list-payments.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { openDriver } from "../../src/service/database/database.ts";
import { queryRows } from "../../src/service/database/driver.ts";
import { newDatabase } from "../testkit/database/open-database.ts";
import { pickRandom, startReplicas, urlOf, type Replicas } from "../testkit/deployment/replicas.ts";
import { findPage } from "../testkit/service/search-model.ts";
import { anyDraft, anyQuery, toSentQuery } from "../testkit/service/searched-payments.ts";

/** PAYMENTS_KILLS=100 runs it longer. */
const kills = Number(process.env["PAYMENTS_KILLS"] ?? 1);
/** Each kill compares with more payments than the one before. */
const timeoutMs = 300_000 + kills * 10_000;
const clients = 8;
const queries = 10;
/** The payments before the next kill, so that each kill comes at another moment. */
const paymentsBetween = (kill: number) => 60 + ((kill * 37) % 200);

it(
  "services killed while they index find every payment, and nothing else, after each kill",
  async () => {
    const database = await newDatabase();
    const replicas = await startReplicas(2, database, "--processing-time=50ms");
    const driver = await openDriver(database);
    onTestFinished(async () => driver.close());
    /** How far the index is: any step of it changes this. */
    const readIndexedTo = async () => {
      const sql =
        "SELECT MAX(covered_to) AS place, MAX(next_segment) AS segment FROM search_progress";
      return JSON.stringify(await driver.read(() => queryRows(sql, [])));
    };
    /** Ends the leases of those that were killed, which last longer than a test wants to wait. */
    const endLeases = async () =>
      driver.write(() => queryRows("UPDATE search_progress SET leased_until_ms = 0", []));
    const { key } = await replicas.createKey();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = async (path: string, init: RequestInit = {}) =>
      fetch(`${urlOf(pickRandom(replicas.ports))}${path}`, { ...init, headers });

    let killedWhileIndexing = 0;
    for (let kill = 0; kill < kills; kill++) {
      const load = startLoad(request, kill);
      await expect.poll(() => load.made(), { interval: 5 }).toBeGreaterThan(paymentsBetween(kill));
      const before = await readIndexedTo();
      await expect.poll(readIndexedTo, { interval: 1 }).not.toBe(before);
      const port = pickRandom(replicas.ports);
      const place = await readIndexedTo();
      const isWhole = kill % 3 < 2;
      // The process that indexes is killed, mostly with the service that has started it.
      replicas.killChildren(port);
      if (isWhole) await replicas.end(port, "SIGKILL");
      await load.end();
      if (isWhole) await replicas.start(port);
      await endLeases();
      await expect.poll(async () => (await list(request, "status=pending")).data.length).toBe(0);
      await compareSearches(replicas, request, kill);
      if ((await readIndexedTo()) !== place) killedWhileIndexing++;
    }
    // In the end all is in the index, and what it finds is the same.
    const isAtRest = async () => {
      const metrics = await (await request("/metrics")).text();
      return metrics.includes("payments_search_behind_seconds 0\n");
    };
    await expect.poll(isAtRest, { timeout: 120_000 }).toBe(true);
    await compareSearches(replicas, request, kills);
    process.stderr.write(`${kills} kills, ${killedWhileIndexing} of them before all was indexed\n`);
  },
  timeoutMs,
);

type Request = (path: string, init?: RequestInit) => Promise<Response>;

/** Clients that each create one payment after the other, and refund some, until they are ended. */
function startLoad(request: Request, seed: number) {
  const drafts = fc.sample(anyDraft, { numRuns: 100, seed });
  const over = new AbortController();
  let made = 0;
  const running = Array.from({ length: clients }, async (_, client) => {
    for (let count = client; !over.signal.aborted; count += clients) {
      const body = JSON.stringify(drafts[count % drafts.length]?.direct);
      // A replica that was killed answers nothing: the payment may have been written, which its list will tell.
      const response = await request("/v1/payments", { method: "POST", body }).catch(
        () => undefined,
      );
      const text = await response?.text().catch(() => undefined);
      if (response?.status !== 201 || text === undefined) continue;
      made += 1;
      const { id } = JSON.parse(text) as Payment;
      if (count % 5 > 0) continue;
      await request(`/v1/payments/${id}/refund`, { method: "POST", body: "{}" }).catch(() => {});
    }
  });
  return {
    made: () => made,
    end: async () => {
      over.abort();
      await Promise.all(running);
    },
  };
}

async function list(request: Request, query: string): Promise<PaymentList> {
  const response = await request(`/v1/payments?${query}`);
  const text = await response.text();
  expect([query, response.status, response.ok || text]).toEqual([query, 200, true]);
  return JSON.parse(text) as PaymentList;
}

/** Compares what each replica finds with a look through all payments, which are listed without a search. */
async function compareSearches({ ports }: Replicas, request: Request, seed: number): Promise<void> {
  const all: Payment[] = [];
  for (let after = "", more = true; more; after = all.at(-1)?.id ?? "") {
    const page = await list(request, `limit=100${after && `&starting_after=${after}`}`);
    all.push(...page.data);
    more = page.has_more;
  }
  for (const asked of fc.sample(anyQuery, { numRuns: queries, seed })) {
    const query = toSentQuery(asked, all);
    if (query === undefined) continue;
    const expected = { query, ...findPage(all, query) };
    for (const port of ports) {
      const ofOne: Request = async (path) => request(path).catch(() => request(path));
      const page = await list(ofOne, String(new URLSearchParams(query)));
      const found = { ids: page.data.map(({ id }) => id), hasMore: page.has_more };
      expect({ port, query, ...found }).toEqual({ port, ...expected });
    }
  }
}
