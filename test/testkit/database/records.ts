import { v7 } from "uuid";
import type { Account } from "../../../src/contract/administration.ts";
import { simulatorName } from "../../../src/contract/route.ts";
import type { PaymentJson, PaymentStatus } from "../../../src/contract/payment.ts";
import type { StoredAccount } from "../../../src/service/accounts/accounts-store.ts";
import { buildAccount as accountOf } from "../../../src/service/accounts/manage-accounts.ts";
import { type Driver, commit, countChanges } from "../../../src/service/database/driver.ts";
import {
  type Scope,
  createSetText,
  listValues,
  splitIntoSets,
  whereScope,
} from "../../../src/service/database/scope.ts";
import {
  type Draft,
  type Payment,
  beginPayment,
  failPayment,
  succeedPayment,
} from "../../../src/service/payments/payment-state.ts";
import type { Store } from "../../../src/service/service.ts";
import type { PageRequest } from "../../../src/service/search/payment-terms.ts";
import { ids } from "../../../src/service/database/ids.ts";
import type { StoredDelivery } from "../../../src/service/webhooks/deliveries-sql.ts";

export const card = {
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  country: "US",
} as const;

let sequence = 0;

/** The next id at a time: real ids follow the machine's clock, which a test cannot set. */
export function nextId(atMs: number): string {
  sequence += 1;
  return `pay_${v7({ msecs: atMs, seq: sequence })}`;
}

/** A payment in a status, created at `createdMs`, with one transition each second after that. */
export function paymentIn(
  status: PaymentStatus,
  createdMs: number,
  fields: Partial<Draft> = {},
): Payment {
  const created = Math.floor(createdMs / 1000);
  const pending = beginPayment({
    id: nextId(createdMs),
    amount: 4999,
    currency: "eur",
    description: null,
    card,
    customer: { email: "", name: "" },
    metadata: {},
    redirect_url: null,
    created,
    livemode: false,
    ...fields,
  });
  const succeeded = succeedPayment(pending, card, created + 1);
  switch (status) {
    case "pending":
      return pending;
    case "succeeded":
      return succeeded;
    case "failed":
      return failPayment(pending, "insufficient_funds", created + 1);
    case "refunded":
      return { ...succeeded, status, refunded_at: created + 2 };
    default:
      return status satisfies never;
  }
}

/** A delivery as of an event that is sent again: it is due at `atMs`, in Unix milliseconds. */
export function queuedDelivery(endpointId: string, eventId: string, atMs: number): StoredDelivery {
  return {
    id: nextId(atMs).replace("pay_", "del_"),
    endpointId,
    eventId,
    type: "payment.succeeded",
    status: "pending",
    attempts: 0,
    dueAtMs: atMs,
    lastStatus: null,
    lastError: null,
    createdMs: atMs,
  };
}

/** An account that is not stored yet, created at second 1,000. */
export function newAccount(changes: Partial<Account> = {}): StoredAccount {
  const { account, ...rest } = accountOf({ ids, clock: () => 1_000_000 });
  return { account: { ...account, ...changes }, ...rest };
}

/** Writes accounts of these ids. */
export async function addAccounts(store: Store, accountIds: string[]): Promise<void> {
  for (const id of accountIds) await store.insertAccount(newAccount({ id }));
}

/** The secret of the first account of a database. */
export async function firstSecret(store: Store): Promise<string | undefined> {
  const [first] = await store.listAccounts();
  return (await store.findAccount(first?.id ?? ""))?.fingerprintSecret;
}

// The store returns payments in JSON; a test compares the parsed value.

export function parsePayment(json: PaymentJson): Payment {
  return JSON.parse(json) as Payment;
}

export async function readPayment(store: Store, scope: Scope, id: string) {
  const json = await store.findPayment(scope, id);
  return json === undefined ? undefined : parsePayment(json);
}

export async function readPage(store: Store, scope: Scope, page: PageRequest) {
  const { items, hasMore } = await store.listPayments(scope, page);
  return { payments: items.map(parsePayment), hasMore };
}

/** Reads the simulator's due charges without leasing them. */
export async function peekDue(store: Store, nowMs: number, limit: number) {
  const leased = await store.leaseDueCharges({
    nowMs,
    untilMs: nowMs,
    limit,
    network: simulatorName,
  });
  return leased;
}

const insertOfBeforeText = createSetText(
  (
    rows,
  ) => `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment, events,
     first_status) ${listValues(rows, 10, 1)}`,
);

/** Inserts payments as the program of the first schema did. */
export async function insertPaymentsOfBefore(
  driver: Driver,
  scope: Scope,
  payments: Payment[],
): Promise<void> {
  const statements = splitIntoSets(payments).map((set) => {
    const rows = set.flatMap((payment) => {
      const { id, status, amount, currency, created } = payment;
      const json = JSON.stringify(payment);
      return [...whereScope(scope), id, status, amount, currency, created, json, 1, status];
    });
    return countChanges(insertOfBeforeText(set.length), rows);
  });
  await driver.write(() => commit(...statements), scope.accountId);
}
