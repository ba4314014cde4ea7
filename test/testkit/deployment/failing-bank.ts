import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
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
  const known = books.get(charge.id) ?? { outcome: decideOn(charge), refunds: 0 };
  books.set(charge.id, known);
  return [
    200,
    known.outcome === "canceled"
      ? { outcome: "declined", code: "generic_decline", message: "It was canceled." }
      : toOutcome(known),
  ];
}

type Sent = { id: string; card: { number: string }; return_url: string | null };

function decideOn({ card, return_url: returnUrl }: Sent): Book["outcome"] {
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

/** The last state that a page shows. */
const ends = ["paid", "declined", "canceled", "expired", "gone"] as const;
export type End = (typeof ends)[number];
type Shown = End | "open" | "processing" | "at_bank" | "returned" | "overdue";

/** The reaction of a customer whom the bank asks. `leaves`: decides, and does not come back. */
export type Plan = {
  decides: "approve" | "decline" | "nothing";
  afterwards: "comes back" | "cancels" | "leaves";
};

/**
 * A customer's browser, which sends a request again until a service answers, and picks one of the services each time.
 */
export function createPageCustomer(pickUrl: () => string) {
  async function send(path: string, fields?: Record<string, string>): Promise<Response> {
    for (;;) {
      try {
        const body = fields && new URLSearchParams(fields);
        const response = await fetch(`${pickUrl()}${path}`, {
          redirect: "manual",
          ...(body && { method: "POST", body }),
        });
        if (response.status !== 503) return response;
        await response.arrayBuffer();
      } catch {
        // the service was killed
      }
      await delay(50);
    }
  }

  /** The state that the page shows; undefined where the service leads elsewhere, or was killed while it answered. */
  async function visit(path: string): Promise<Shown | undefined> {
    const response = await send(path);
    const text = await response.text().catch(() => "");
    return /<main class="outcome (\w+)"/.exec(text)?.[1] as Shown | undefined;
  }

  /** Looks at the page again until it has come to one of these. */
  async function watch<S extends Shown>(path: string, states: readonly S[]): Promise<S> {
    for (;;) {
      const shown = await visit(path);
      const found = states.find((state) => state === shown);
      if (found) return found;
      await delay(300);
    }
  }

  return {
    /** Sends the card, and does what is planned where the bank asks; returns what the page showed at last. */
    pay: async (
      path: string,
      card: Record<string, string>,
      { plan, decide }: { plan: Plan; decide: (isApproved: boolean) => void },
    ): Promise<End | undefined> => {
      await send(path, card);
      const shown = await watch(path, [...ends, "at_bank"]);
      if (shown !== "at_bank") return shown;
      if (plan.decides !== "nothing") decide(plan.decides === "approve");
      if (plan.afterwards === "leaves") return undefined;
      if (plan.afterwards === "cancels") await send(`${path}/cancel`, {});
      else {
        while ((await visit(`${path}/return`)) === "returned") await delay(300);
      }
      return await watch(path, ends);
    },
  };
}
