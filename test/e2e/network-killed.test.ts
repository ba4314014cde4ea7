import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, inject, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import {
  createKey,
  startServingWith,
  createTemporaryFolder,
  type Serving,
} from "../testkit/command/installed-command.ts";
import { pickRandom } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries } from "../testkit/deployment/sender.ts";

const variables = { PAYMENTS_NETWORK_SECRET: "secret" };
const senders = 6;
const kills = 4;

// PAYMENTS_KILLED_RUNS=100 runs it longer. A seed repeats the same faults and kills, but the machine decides which
// request each of them meets.
const runs = Number(process.env["PAYMENTS_KILLED_RUNS"] ?? 1);
const firstSeed = Number(process.env["PAYMENTS_KILLED_SEED"] ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: runs }, (_, run) => firstSeed + run);

type Book = { outcome: "approved" | "declined" | "canceled"; refunds: number };

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
    const count = inject("postgresUrl") === undefined ? 1 : 2;
    for (let at = 0; at < count; at++) await start(at);

    const send = sender(key);
    const pickUrl = () => pickRandom(replicas).url;
    const made = new Map<string, string>(); // key → the payment's id
    const order = async (idempotencyKey: string, round: number) => {
      const number = round % 4 === 3 ? "4000000000000002" : card.number;
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
    // A key that a killed service held is free after 30 s. Until then its sender has other orders.
    const working = Array.from({ length: senders }, async (_, who) => {
      const orders: Promise<void>[] = [];
      for (let round = 0; !killed.signal.aborted; round++) {
        orders.push(order(`order-${who}-${round}`, round));
        await Promise.race([orders.at(-1), delay(500)]);
        await delay(random() * 200);
      }
      await Promise.all(orders);
    });
    const restarting = (async () => {
      for (let kill = 0; kill < kills; kill++) {
        await delay(300 + random() * 400);
        const at = kill % count;
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
      })
      .toEqual([]);
    await expect
      .poll(async () => findDifferences(await listAll(), books), { timeout: 200_000 })
      .toEqual([]);
    const payments = await listAll();
    expect(new Set(payments.map(({ id }) => id))).toEqual(new Set(made.values()));
    expect(payments).toHaveLength(made.size);
    await Promise.all(replicas.map(async ({ kill }) => kill("SIGKILL")));
  },
);

/** Random numbers from 0 to 1, repeatable by the seed. */
function createRandom(seed: number): () => number {
  const [stream] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat(999))), { seed, numRuns: 1 });
  if (!stream) throw new Error("Nothing was drawn.");
  return () => (stream.next().value as number) / 1_000;
}

/** Retries a request until it has no transient error. */
async function sendUntilFinal(send: () => ReturnType<ReturnType<typeof sender>>) {
  for (;;) {
    const outcome = await sendWithRetries(async () => send(), "", {});
    if (outcome.status !== 0 && outcome.status !== 503 && outcome.status !== 409) return outcome;
    await delay(50);
  }
}

/** The payments about which the network and the service do not agree. */
function findDifferences(payments: Payment[], books: Map<string, Book>): unknown[] {
  const wrong = payments.filter(({ id, status }) => {
    const book = books.get(id);
    const isTaken = book?.outcome === "approved";
    if (status === "succeeded") return !isTaken || book.refunds > 0;
    if (status === "refunded") return !isTaken || book.refunds !== 1;
    return isTaken;
  });
  const unknown = [...books.keys()].filter((id) => !payments.some((payment) => payment.id === id));
  return [...wrong.map((payment) => ({ payment, book: books.get(payment.id) })), ...unknown];
}

/**
 * An adapter that fulfils the protocol, but loses a request in five during the load, before or after its
 * effect.
 */
async function startFailingAdapter(
  books: Map<string, Book>,
  fails: () => boolean,
): Promise<string> {
  const server = createServer(async (request, response) => {
    if (fails()) return request.socket.destroy();
    try {
      const [status, body] = await respond(request, books);
      if (fails()) return request.socket.destroy();
      return response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    } catch {
      return request.socket.destroy(); // the service that sent it was killed
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function respond(
  request: IncomingMessage,
  books: Map<string, Book>,
): Promise<[number, object]> {
  const [, , id = "", verb] = (request.url ?? "").split("/");
  const book = books.get(id);
  if (request.method === "GET")
    return book ? [200, toOutcome(book)] : [404, { outcome: "unknown" }];
  if (verb === "cancel") {
    if (book?.outcome !== "declined") books.set(id, { outcome: "canceled", refunds: 0 });
    return [200, { outcome: "canceled" }];
  }
  if (verb === "refund") {
    if (book?.outcome !== "approved") return [200, { outcome: "declined", code: "x", message: "" }];
    book.refunds ||= 1;
    return [200, { outcome: "refunded", reference: "re" }];
  }
  const charge = (await json(request)) as { id: string; card: { number: string } };
  const known = books.get(charge.id) ?? {
    outcome: charge.card.number === card.number ? ("approved" as const) : ("declined" as const),
    refunds: 0,
  };
  books.set(charge.id, known);
  return [
    200,
    known.outcome === "canceled"
      ? { outcome: "declined", code: "generic_decline", message: "It was canceled." }
      : toOutcome(known),
  ];
}

function toOutcome({ outcome }: Book): object {
  if (outcome === "approved") return { outcome, reference: "ch" };
  return outcome === "declined"
    ? { outcome, code: "generic_decline", message: "No." }
    : { outcome };
}
