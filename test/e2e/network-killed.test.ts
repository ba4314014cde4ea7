import { setTimeout as delay } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import {
  createKey,
  startServingWith,
  createTemporaryFolder,
  type Serving,
} from "../testkit/command/installed-command.ts";
import {
  type Book,
  type End,
  type Plan,
  cardNumbers,
  createPageCustomer,
  decideAtBank,
  findDifferences,
  startFailingAdapter,
} from "../testkit/deployment/failing-bank.ts";
import { pickRandom } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries } from "../testkit/deployment/load.ts";

const variables = { PAYMENTS_NETWORK_SECRET: "secret" };
const senders = 6;
const customers = 2;
const kills = 2;

// PAYMENTS_KILLED_RUNS=100 runs it longer. A seed repeats the same faults and kills, but the machine decides which
// request each of them meets.
const runs = Number(process.env["PAYMENTS_KILLED_RUNS"] ?? 1);
const firstSeed = Number(process.env["PAYMENTS_KILLED_SEED"] ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: runs }, (_, run) => firstSeed + run);

/** The plans of customers whom the bank asks. */
const plans: Plan[] = [
  { decides: "approve", afterwards: "comes back" },
  { decides: "decline", afterwards: "comes back" },
  { decides: "approve", afterwards: "leaves" },
  { decides: "approve", afterwards: "cancels" },
  { decides: "nothing", afterwards: "cancels" },
];

test.each(seeds)(
  "the records of a failing network and of services killed under load agree (seed %i)",
  async (seed) => {
    const random = createRandom(seed);
    const books = new Map<string, Book>();
    const [load, killed] = [new AbortController(), new AbortController()];
    const adapter = await startFailingAdapter(books, () => !load.signal.aborted && random() < 0.1);
    const home = createTemporaryFolder();
    const { key } = await createKey(home, "live");
    const replicas: Serving[] = [];
    const start = async (at: number) => {
      const flags = ["--network", adapter, "--log-level", "silent"];
      replicas[at] = await startServingWith(variables, home, ...flags);
    };
    await Promise.all([start(0), start(1)]);

    const send = sender(key);
    const pickUrl = () => pickRandom(replicas).url;
    const made = new Map<string, string>(); // key → the payment's id
    const order = async (idempotencyKey: string, round: number) => {
      const number = round % 4 === 3 ? cardNumbers.bad : cardNumbers.good;
      const body = { amount: 4999, currency: "eur", card: { ...card, number } };
      const answer = await sendUntilFinal(async () => send(pickUrl(), { idempotencyKey, body }));
      expect(answer.status).toBe(201);
      const { id } = JSON.parse(answer.body) as Payment;
      made.set(idempotencyKey, id);
      if (round % 3 > 0) return;
      const path = `/v1/payments/${id}/refund`;
      await sendUntilFinal(async () =>
        send(pickUrl(), { idempotencyKey: `${idempotencyKey}-r`, path }),
      );
    };
    const customer = createPageCustomer(pickUrl);
    const shown: { id: string; end: End }[] = [];
    const buy = async (idempotencyKey: string, round: number) => {
      const body = { amount: 4999, currency: "eur" };
      const path = "/v1/payments/hpp";
      const answer = await sendUntilFinal(async () =>
        send(pickUrl(), { idempotencyKey, path, body }),
      );
      expect(answer.status).toBe(201);
      const { id, redirect_url: address } = JSON.parse(answer.body) as Payment;
      made.set(idempotencyKey, id);
      const number = round % 5 === 4 ? cardNumbers.good : cardNumbers.asked;
      const typed = { number, expiry: "12/40", cvc: "123", name: "A. Lovelace" };
      const end = await customer.pay(new URL(address ?? "").pathname, typed, {
        plan: pickBy(random, plans),
        decide: (isApproved) => decideAtBank(books, id, isApproved),
      });
      if (end) shown.push({ id, end });
    };
    // A lock of a killed service ends after 30 s. Until then its sender has other orders.
    const working = Array.from({ length: senders + customers }, async (_, who) => {
      const orders: Promise<void>[] = [];
      const begin = who < senders ? order : buy;
      for (let round = 0; !killed.signal.aborted; round++) {
        orders.push(begin(`order-${who}-${round}`, round));
        await Promise.race([orders.at(-1), delay(500)]);
        await delay(random() * 200);
      }
      await Promise.all(orders);
    });
    const restarting = (async () => {
      for (let kill = 0; kill < kills; kill++) {
        await delay(300 + random() * 400);
        const at = kill % 2;
        await replicas[at]?.kill("SIGKILL");
        await start(at);
      }
      killed.abort();
    })();
    await Promise.all([...working, restarting]);
    load.abort();

    const client = new PaymentsClient({ baseUrl: replicas[0]?.url ?? "", apiKey: key });
    onTestFinished(() => client.close());
    const listAll = async () => {
      const found: Payment[] = [];
      for await (const payment of client.payments.all()) found.push(payment);
      return found;
    };
    await expect
      .poll(async () => (await listAll()).filter(({ status }) => status === "pending"), {
        timeout: 200_000,
        interval: 500,
      })
      .toEqual([]);
    await expect
      .poll(async () => findDifferences(await listAll(), books), {
        timeout: 200_000,
        interval: 500,
      })
      .toEqual([]);
    const payments = await listAll();
    expect(new Set(payments.map(({ id }) => id))).toEqual(new Set(made.values()));
    expect(payments).toHaveLength(made.size);
    const statusOf = new Map(payments.map(({ id, status }) => [id, status]));
    const now = shown.map(({ id, end }) => ({ id, end, status: statusOf.get(id) }));
    expect(now).toEqual(
      shown.map(({ id, end }) => ({ id, end, status: end === "paid" ? "succeeded" : "failed" })),
    );
    await Promise.all(replicas.map(async ({ kill }) => kill("SIGKILL")));
  },
);

/** Random numbers from 0 to 1, repeatable by the seed. */
function createRandom(seed: number): () => number {
  const [stream] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat(999))), { seed, numRuns: 1 });
  if (!stream) throw new Error("Nothing was drawn.");
  return () => (stream.next().value as number) / 1_000;
}

function pickBy<T>(random: () => number, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T;
}

/** Retries a request until it has no transient error. */
async function sendUntilFinal(send: () => ReturnType<ReturnType<typeof sender>>) {
  for (;;) {
    const outcome = await sendWithRetries(async () => send(), "", {});
    if (outcome.status !== 0 && outcome.status !== 503 && outcome.status !== 409) return outcome;
    await delay(250);
  }
}
