import type { CardInput } from "../../../src/contract/payment.ts";
import type { DeclineCode } from "../../../src/contract/field-values.ts";
import type { CardNetwork, Charge, Unknown } from "../../../src/service/networks/card-network.ts";

/**
 * The fault of one network call. `late`: its outcome is unknown, and the request arrives at the end. `no url`: where
 * the bank asks the customer, the answer names no page to send the customer to.
 */
export const faults = [
  "none",
  "none",
  "none",
  "not arrived",
  "answer lost",
  "late",
  "slow",
  "no url",
] as const;
export type Fault = (typeof faults)[number];

/** The cards by what their bank does. `asked wrongly`: it wants to ask also where no customer is on a page. */
export const cardNumbers = {
  good: "4242424242424242",
  bad: "4000000000000002",
  asked: "4000002760003184",
  "asked wrongly": "4000000000003220",
} as const;
export type CardKind = keyof typeof cardNumbers;

/** A network's record of a charge. `asking`: the customer is at the bank. */
export type Book = {
  state: "approved" | "declined" | "canceled" | "asking";
  code: DeclineCode;
  refunds: number;
};

/** Networks that decide correctly, whatever happens to requests and answers. */
export function createNetworks(names: string[], nextFault: () => Fault) {
  const booksOf = new Map(names.map((name) => [name, new Map<string, Book>()]));
  const late: (() => void)[] = [];
  let isCalm = false;

  const travel = async <T>(arrives: () => object): Promise<T> => {
    const fate = isCalm ? "none" : nextFault();
    if (fate === "late") late.push(arrives);
    if (fate === "late" || fate === "not arrived") return lost as T;
    const answer = arrives();
    if (fate === "answer lost") return lost as T;
    if (fate === "slow") return slow as T;
    const isAction = "url" in answer;
    return (fate === "no url" && isAction ? { ...answer, url: null } : answer) as T;
  };

  return {
    names: [...booksOf.keys()],
    networkAt: (name: string) => networkOver(booksOf.get(name) ?? new Map<string, Book>(), travel),
    listBooks: () => [...booksOf.values()],
    /** One of the customers who are at the bank decides there. */
    decideAtBank: (at: number, isApproved: boolean) => {
      const books = booksOf.values().flatMap((each) => each.values());
      const asking = books.filter(({ state }) => state === "asking").toArray();
      const book = asking[at % Math.max(1, asking.length)];
      if (book) book.state = isApproved ? "approved" : "declined";
    },
    /** The late requests arrive. */
    arrive: () => {
      for (const request of late.splice(0)) request();
    },
    /** From now on there are no faults. */
    calmDown: () => {
      isCalm = true;
    },
  };
}

export type Networks = ReturnType<typeof createNetworks>;

const lost: Unknown = { outcome: "unknown", reason: "conflict" };
const slow = { outcome: "processing", retryAfterMs: 1_000 } as const;

function networkOver(
  books: Map<string, Book>,
  travel: <T>(arrives: () => object) => Promise<T>,
): CardNetwork {
  return {
    countryOf: () => "US",
    charge: async (charge, card) =>
      await travel(() => {
        const book = books.get(charge.id) ?? openBook(charge, card);
        books.set(charge.id, book);
        return book.state === "canceled"
          ? { outcome: "declined", code: "processing_error" }
          : toOutcome(book);
      }),
    lookUp: async ({ id }) =>
      await travel(() => {
        const book = books.get(id);
        return book ? toOutcome(book) : { outcome: "not_found" };
      }),
    cancel: async ({ id }) =>
      await travel(() => {
        const book = books.get(id);
        if (book?.state !== "declined") {
          books.set(id, { state: "canceled", code: "processing_error", refunds: 0 });
        }
        return { outcome: "canceled" };
      }),
    refund: async ({ id }) =>
      await travel(() => {
        const book = books.get(id);
        if (!book) throw new Error(`A refund of ${id}, which was never charged.`);
        if (book.state !== "approved") return { outcome: "declined", code: "generic_decline" };
        book.refunds ||= 1;
        return { outcome: "refunded", reference: "re" };
      }),
  };
}

function openBook({ returnUrl }: Charge, { number }: CardInput): Book {
  const digits = number.replaceAll(" ", "");
  if (digits === cardNumbers.good)
    return { state: "approved", code: "generic_decline", refunds: 0 };
  if (digits === cardNumbers.bad) return { state: "declined", code: "generic_decline", refunds: 0 };
  const isAsked = returnUrl !== null || digits === cardNumbers["asked wrongly"];
  return { state: isAsked ? "asking" : "declined", code: "authentication_required", refunds: 0 };
}

function toOutcome({ state, code }: Book): object {
  switch (state) {
    case "approved":
      return { outcome: "approved", reference: "ch" };
    case "declined":
      return { outcome: "declined", code };
    case "asking":
      return { outcome: "action", reference: "ch", url: bankUrl, retryAfterMs: 10_000 };
    case "canceled":
      return { outcome: "canceled" };
    default:
      return state satisfies never;
  }
}

const bankUrl = "https://bank.test/confirm";
