import type { Payment } from "../../../src/contract/payment.ts";
import type { ChallengeOutcome, Store } from "../../../src/service/ports/ports.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Book } from "./charges-network.ts";

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
  const page = { below: "pay_g", above: "", status: undefined, limit: 100 };
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
