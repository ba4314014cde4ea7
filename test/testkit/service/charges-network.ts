import type { DeclineCode } from "../../../src/contract/field-values.ts";
import type { CardInput, Payment } from "../../../src/contract/payment.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { CardNetwork, Charge, Unknown } from "../../../src/service/networks/card-network.ts";
import type { ChallengeOutcome } from "../../../src/service/payments/payments-store.ts";
import type { Store } from "../../../src/service/service.ts";

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

/** The states that merchants and customers have seen, and the challenges that were counted. */
export type Seen = {
  /** Payments as a response or a page showed them. */
  payments: Payment[];
  /** The responses to creations, by their idempotency key. */
  responses: { key: string; card: string; body: string }[];
  challenges: ChallengeOutcome[];
};

type Books = Map<string, Book>[];

/** Checks that the records of the networks and of the service agree, and that everything that was seen before is still true. */
export async function checkCharges(
  { store, scope }: { store: Store; scope: Scope },
  books: Books,
  seen: Seen,
): Promise<void> {
  const payments = await listPayments(store, scope);
  const challenged: Payment[] = [];
  for (const payment of payments) {
    checkMoney(payment, books);
    const charge = await store.findCharge(scope, payment.id);
    if (!charge) continue;
    if (charge.pendingAction !== "none") fault(`still ${charge.pendingAction}`, payment);
    if (charge.challengeUrl !== null) fault("still at the bank", payment);
    if (charge.challengedAtMs !== null) challenged.push(payment);
  }
  for (const id of books.flatMap((each) => [...each.keys()]))
    if (!payments.some((payment) => payment.id === id)) fault("unknown", id);
  checkSeen(payments, seen.payments);
  checkKeys(payments, seen.responses);
  checkChallenges(challenged, seen.challenges);
}

export async function listPayments(store: Store, scope: Scope): Promise<Payment[]> {
  const page = { below: "pay_g", above: "", limit: 100 };
  const { items } = await store.listPayments(scope, { ...page, direction: "forward" });
  return items.map((json) => JSON.parse(json) as Payment);
}

/** Only one network was called about a payment, and took what its status says. */
function checkMoney(payment: Payment, books: Books): void {
  const [book, other] = books
    .map((each) => each.get(payment.id))
    .filter((found) => found !== undefined);
  if (other) fault("two networks were called", payment);
  const refunds = book?.refunds ?? 0;
  const charged = refunds === 0 ? "charged" : "refunded";
  const balance = book?.state === "approved" ? charged : "none";
  const expected = { succeeded: "charged", refunded: "refunded", failed: "none", pending: "none" };
  if (payment.status === "pending" || balance !== expected[payment.status] || refunds > 1)
    fault(`${payment.status}, the network: ${JSON.stringify(book)}`, payment);
}

/** A payment that was shown as paid is never failed later, nor the other way round, and keeps why it failed. */
function checkSeen(payments: Payment[], seen: Payment[]): void {
  const later: Record<Payment["status"], Payment["status"][]> = {
    pending: ["succeeded", "failed", "refunded"],
    succeeded: ["succeeded", "refunded"],
    failed: ["failed"],
    refunded: ["refunded"],
  };
  for (const { id, status, decline_code: code } of seen) {
    const now = payments.find((payment) => payment.id === id);
    const isTrue = now && later[status].includes(now.status);
    if (!isTrue || (code !== null && now.decline_code !== code))
      fault(`was seen as ${status} ${code}`, now ?? id);
  }
}

function checkKeys(payments: Payment[], responses: Seen["responses"]): void {
  for (const key of new Set(responses.map((response) => response.key))) {
    const made = payments.filter(({ metadata }) => metadata["key"] === key);
    if (made.length > 1) fault("two payments under one key", made);
    const [first, ...others] = responses.filter((response) => response.key === key);
    for (const other of others)
      if (other.body !== first?.body || other.card !== first.card)
        fault("two answers under one key", { first, other });
  }
}

/** A killed replica may not have counted, but nothing is counted twice. */
function checkChallenges(challenged: Payment[], counted: ChallengeOutcome[]): void {
  const count = (...outcomes: ChallengeOutcome[]) =>
    counted.filter((outcome) => outcomes.includes(outcome)).length;
  const failed = challenged.filter(({ status }) => status === "failed");
  const canceled = failed.filter(({ decline_code: code }) => code?.endsWith("canceled")).length;
  const isRight =
    count("begun") <= challenged.length &&
    count("approved") <= challenged.length - failed.length &&
    count("canceled") <= canceled &&
    count("declined", "abandoned") <= failed.length - canceled;
  if (!isRight) fault("counted too often", { counted, challenged });
}

function fault(what: string, of: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(of)}`);
}
