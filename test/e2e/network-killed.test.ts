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
import { oneOf } from "../testkit/deployment/replicas.ts";
import { card, sender, untilAnswered } from "../testkit/deployment/sender.ts";

const variables = { PAYMENTS_NETWORK_SECRET: "secret" };
const senders = 12;
const ofEach = 12;
const kills = 6;

// PAYMENTS_KILLED_RUNS=100 for a longer look. A seed draws the same faults and kills again; when each of them
// meets which request is up to the machine.
const runs = Number(process.env["PAYMENTS_KILLED_RUNS"] ?? 1);
const firstSeed = Number(process.env["PAYMENTS_KILLED_SEED"] ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: runs }, (_, run) => firstSeed + run);

type Book = { outcome: "approved" | "declined" | "canceled"; refunds: number };

test.each(seeds)(
  "after kills under load, a network that fails too has taken and given back what the service says (seed %i)",
  async (seed) => {
    const drawn = draws(seed);
    const books = new Map<string, Book>();
    const [load, killed] = [new AbortController(), new AbortController()];
    const adapter = await startFailingAdapter(books, () => !load.signal.aborted && drawn() < 0.1);
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
    const toOne = () => oneOf(replicas).url;
    const made = new Map<string, string>(); // key → the payment that was told
    const working = Array.from({ length: senders }, async (_, who) => {
      for (let round = 0; round < ofEach || !killed.signal.aborted; round++) {
        const idempotencyKey = `order-${who}-${round}`;
        const number = round % 4 === 3 ? "4000000000000002" : card.number;
        const body = { amount: 4999, currency: "eur", card: { ...card, number } };
        const answer = await answered(async () => send(toOne(), { idempotencyKey, body }));
        expect(answer.status).toBe(201);
        const { id } = JSON.parse(answer.body) as Payment;
        made.set(idempotencyKey, id);
        if (round % 3 === 0) {
          const path = `/v1/payments/${id}/refund`;
          await answered(async () =>
            send(toOne(), { idempotencyKey: `${idempotencyKey}-r`, path }),
          );
        }
      }
    });
    const killing = (async () => {
      for (let kill = 0; kill < kills; kill++) {
        await delay(300 + drawn() * 400);
        const at = kill % count;
        await replicas[at]?.kill("SIGKILL");
        await start(at);
      }
      killed.abort();
    })();
    await Promise.all([...working, killing]);
    load.abort();

    const client = new PaymentsClient({ baseUrl: replicas[0]?.url ?? "", apiKey: key });
    onTestFinished(() => client.close());
    const all = async () => {
      const found: Payment[] = [];
      for await (const payment of client.payments.all()) found.push(payment);
      return found;
    };
    await expect
      .poll(async () => (await all()).filter(({ status }) => status === "pending"), {
        timeout: 200_000,
      })
      .toEqual([]);
    await expect
      .poll(async () => differences(await all(), books), { timeout: 200_000 })
      .toEqual([]);
    const payments = await all();
    expect(new Set(payments.map(({ id }) => id))).toEqual(new Set(made.values()));
    expect(payments).toHaveLength(made.size);
    await Promise.all(replicas.map(async ({ kill }) => kill("SIGKILL")));
  },
);

/** Numbers from 0 to 1, drawn by a seed. */
function draws(seed: number): () => number {
  const [stream] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat(999))), { seed, numRuns: 1 });
  if (!stream) throw new Error("Nothing was drawn.");
  return () => (stream.next().value as number) / 1_000;
}

/** Sends again what failed in passing, as long as it takes. */
async function answered(send: () => ReturnType<ReturnType<typeof sender>>) {
  for (;;) {
    const outcome = await untilAnswered(async () => send(), "", {});
    if (outcome.status !== 0 && outcome.status !== 503 && outcome.status !== 409) return outcome;
    await delay(50);
  }
}

/** Where the books of the network and of the service do not agree. */
function differences(payments: Payment[], books: Map<string, Book>): unknown[] {
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
 * An adapter that keeps its promises, and loses a request in five while the load lasts: before or after it
 * was done.
 */
async function startFailingAdapter(
  books: Map<string, Book>,
  fails: () => boolean,
): Promise<string> {
  const server = createServer(async (request, response) => {
    if (fails()) return request.socket.destroy();
    try {
      const [status, body] = await answerTo(request, books);
      if (fails()) return request.socket.destroy();
      return response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    } catch {
      return request.socket.destroy(); // whoever asked was killed
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

async function answerTo(
  request: IncomingMessage,
  books: Map<string, Book>,
): Promise<[number, object]> {
  const [, , id = "", verb] = (request.url ?? "").split("/");
  const book = books.get(id);
  if (request.method === "GET") return book ? [200, told(book)] : [404, { outcome: "unknown" }];
  if (verb === "cancel") {
    if (book?.outcome !== "declined") books.set(id, { outcome: "canceled", refunds: 0 });
    return [200, { outcome: "canceled" }];
  }
  if (verb === "refund") {
    if (book?.outcome !== "approved") return [200, { outcome: "declined", code: "x", message: "" }];
    book.refunds ||= 1;
    return [200, { outcome: "refunded", reference: "re" }];
  }
  const asked = (await json(request)) as { id: string; card: { number: string } };
  const known = books.get(asked.id) ?? {
    outcome: asked.card.number === card.number ? ("approved" as const) : ("declined" as const),
    refunds: 0,
  };
  books.set(asked.id, known);
  return [
    200,
    known.outcome === "canceled"
      ? { outcome: "declined", code: "generic_decline", message: "It was canceled." }
      : told(known),
  ];
}

function told({ outcome }: Book): object {
  if (outcome === "approved") return { outcome, reference: "ch" };
  return outcome === "declined"
    ? { outcome, code: "generic_decline", message: "No." }
    : { outcome };
}
