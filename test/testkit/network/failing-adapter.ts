import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";

/** The adapter's record of a charge. `action`: its customer is at the bank. */
export type Book = { outcome: "approved" | "declined" | "canceled" | "action"; refunds: number };

export const cardNumbers = {
  good: "4242424242424242",
  bad: "4000000000000002",
  asked: "4000002760003184",
} as const;

/** A call of the adapter, and whether it has had its effect. */
export type AdapterCall = { name: "charge" | "lookUp" | "cancel" | "refund"; isDone: boolean };

/** An adapter that fulfils the protocol, but loses a request where `fails` says so, before or after its effect. */
export async function startFailingAdapter(
  books: Map<string, Book>,
  fails: (call: AdapterCall) => boolean,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const name = toCallName(request);
    if (fails({ name, isDone: false })) return request.socket.destroy();
    try {
      const [status, body] = await respond(request, books);
      if (fails({ name, isDone: true })) return request.socket.destroy();
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

/** The customer decides at the bank, where the bank still asks. */
export function decideAtBank(books: Map<string, Book>, id: string, isApproved: boolean): void {
  const book = books.get(id);
  if (book?.outcome === "action") book.outcome = isApproved ? "approved" : "declined";
}

/** The payments about which the network and the service do not agree. */
export function findDifferences(payments: Payment[], books: Map<string, Book>): unknown[] {
  const wrong = payments.filter(({ id, status }) => {
    const book = books.get(id);
    const isTaken = book?.outcome === "approved";
    if (status === "succeeded") return !isTaken || book.refunds > 0;
    if (status === "refunded") return !isTaken || book.refunds !== 1;
    return isTaken || book?.outcome === "action"; // a bank that still asks could take the money later
  });
  const unknown = [...books.keys()].filter((id) => !payments.some((payment) => payment.id === id));
  return [...wrong.map((payment) => ({ payment, book: books.get(payment.id) })), ...unknown];
}

function toCallName({ method, url = "" }: IncomingMessage): AdapterCall["name"] {
  if (method === "GET") return "lookUp";
  return url.endsWith("/cancel") ? "cancel" : url.endsWith("/refund") ? "refund" : "charge";
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
  const charge = (await json(request)) as Sent;
  const known = books.get(charge.id) ?? { outcome: decide(charge), refunds: 0 };
  books.set(charge.id, known);
  return [
    200,
    known.outcome === "canceled"
      ? { outcome: "declined", code: "generic_decline", message: "It was canceled." }
      : toOutcome(known),
  ];
}

type Sent = { id: string; card: { number: string }; return_url: string | null };

function decide({ card, return_url: returnUrl }: Sent): Book["outcome"] {
  if (card.number === cardNumbers.good) return "approved";
  return card.number === cardNumbers.asked && returnUrl !== null ? "action" : "declined";
}

function toOutcome({ outcome }: Book): object {
  if (outcome === "approved") return { outcome, reference: "ch" };
  if (outcome === "action") {
    return { outcome, reference: "ch", url: "https://bank.test/confirm", ask_again_in: 1 };
  }
  return outcome === "declined"
    ? { outcome, code: "generic_decline", message: "No." }
    : { outcome };
}
