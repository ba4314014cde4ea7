import { permissions } from "../../../src/contract/field-values.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test, vi, type TestContext } from "vitest";
import {
  type PendingPayment,
  type ProcessingPayment,
  type RefundedPayment,
  refund,
  succeedPayment,
  takeCard,
} from "../../../src/service/payments/payment-state.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { noResponseYet } from "../../../src/service/idempotency/idempotency-store.ts";
import type { ChargeUpdate } from "../../../src/service/payments/charges-sql.ts";
import type { Store } from "../../../src/service/service.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import {
  card,
  newAccount,
  paymentIn,
  peekDue,
  readPayment,
} from "../../testkit/database/records.ts";
import { newDatabase, takeEmptyDatabase } from "../../testkit/database/open-database.ts";
import { startTcpProxy, type Fate } from "../../testkit/sockets/tcp-proxy.ts";
import {
  afterClaims,
  allPages,
  atMs,
  eventOf,
  moveOf,
  scope,
  simulatedCharge,
  storedCharge,
  writeOf,
} from "./contract/writes.ts";

vi.setConfig({ maxConcurrency: 30 }); // they do nothing but wait

const laterSeconds = atMs / 1000 + 60;
const written = { outcome: "written" };

/** A store on a connection that can fail, and one with a direct connection to the same database. */
async function stores({ onTestFinished }: TestContext) {
  const database = new URL(await takeEmptyDatabase({ onTestFinished }));
  const server = { host: database.hostname, port: Number(database.port) };
  let fateOf: ((piece: string) => Fate) | undefined;
  const proxy = await startTcpProxy(server, (piece) => fateOf?.(piece) ?? "pass");
  onTestFinished(proxy.refuse);
  const onTheWay = new URL(database);
  onTheWay.port = String(proxy.port);
  const open = async (url: URL) => {
    const store = await openStore(openPostgres(url.href), newAccount());
    onTestFinished(async () => store.close());
    return store;
  };
  const direct = await open(database);
  return {
    direct,
    store: await open(onTheWay),
    release: proxy.release,
    /** The fault of the next COMMIT or BEGIN, or of every one, and of later messages. */
    onNext: (word: "BEGIN" | "COMMIT", fate: "pass and cut" | "hold", many = "once") => {
      let isOver = false;
      fateOf = (piece) => {
        const at = piece.indexOf(word);
        if (isOver || at < 0) return "pass";
        isOver = many === "once";
        return fate === "hold" ? { bufferFrom: at - queryHeaderBytes } : fate;
      };
    },
  };
}

/** Before the text of a query stand its message's type and length. */
const queryHeaderBytes = 5;

/** A write, its result, and the rows that must exist once after it. */
type Written = { write: (store: Store) => Promise<unknown>; gives: unknown; isThereOnce: Check };
type Check = (store: Store) => Promise<void>;

const writes: [what: string, prepare: (direct: Store) => Promise<Written>][] = [
  ["a new payment", async () => prepareCreation()],
  ["a new payment with an idempotency key", async () => prepareCreation("order-1")],
  ["a new payment that is pending", async () => preparePendingCreation()],
  ["a refund", async (direct) => prepareRefund(direct)],
  ["a refund with an idempotency key", async (direct) => prepareRefund(direct, "refund-1")],
  ["the payment of a page", async (direct) => preparePayment(direct)],
  ["the charge of a page", async (direct) => preparePageCharge(direct)],
  ["a charge's outcome", async (direct) => prepareChargeUpdate(direct, "written")],
  ["a charge's late outcome", async (direct) => prepareChargeUpdate(direct, "already_answered")],
  [
    "a refund that is requested with an idempotency key",
    async (direct) => prepareRefundRequest(direct),
  ],
  ["a new key", async (direct) => prepareKey(direct)],
];

describe.concurrent.each(writes)("%s", (_, prepare) => {
  test("whose COMMIT arrives without an answer is written once", async (context) => {
    const { direct, store, onNext } = await stores(context);
    const { write, gives, isThereOnce } = await prepare(direct);
    onNext("COMMIT", "pass and cut");
    expect(await write(store)).toEqual(gives);
    await isThereOnce(direct);
  });

  test("whose COMMIT does not arrive is retried once", async (context) => {
    const { direct, store, onNext, release } = await stores(context);
    const { write, gives, isThereOnce } = await prepare(direct);
    onNext("COMMIT", "hold");
    expect(await write(store)).toEqual(gives);
    await release();
    await isThereOnce(direct);
  });

  test("that arrives after its retry changes nothing more", async (context) => {
    const { direct, store, onNext, release } = await stores(context);
    const { write, gives, isThereOnce } = await prepare(direct);
    onNext("BEGIN", "hold");
    expect(await write(store)).toEqual(gives);
    await release();
    await isThereOnce(direct);
  });
});

describe.concurrent("a payment that could not be written", () => {
  test("is not written late, beside the one that its idempotency key was given to since", async (context) => {
    const { direct, store, onNext, release } = await stores(context);
    onNext("BEGIN", "hold", "always");
    const late = store.createPayment(() =>
      writeOf(paymentIn("succeeded", atMs), { key: "order-1" }),
    );
    await expect(late).rejects.toThrow(Unavailable);
    const payment = paymentIn("succeeded", atMs);
    expect(await direct.createPayment(() => writeOf(payment, { key: "order-1" }))).toEqual(written);
    await release();
    expect(await allPages(direct)).toEqual([payment]);
  });

  test("leaves its idempotency key to another replica, although the database never learns that it was abandoned", async (context) => {
    const { direct, store, onNext } = await stores(context);
    onNext("COMMIT", "hold", "always");
    const lost = store.createPayment(() =>
      writeOf(paymentIn("succeeded", atMs), { key: "order-1" }),
    );
    await expect(lost).rejects.toThrow(Unavailable);
    const payment = paymentIn("succeeded", atMs);
    const write = async () => direct.createPayment(() => writeOf(payment, { key: "order-1" }));
    expect(await write().catch(write)).toEqual(written); // a client retries after 503
    expect(await allPages(direct)).toEqual([payment]);
  });
});

test("a process that closes its driver ends, although the database no longer answers", async ({
  onTestFinished,
}) => {
  const address = new URL(await newDatabase());
  const proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
  onTestFinished(proxy.refuse);
  address.port = String(proxy.port);
  const program = new URL("../../programs/close-driver.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, address.href], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  proxy.stall();
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

function prepareCreation(key?: string): Written {
  const payment = paymentIn("succeeded", atMs);
  return {
    write: async (store) => store.createPayment(() => writeOf(payment, key ? { key } : {})),
    gives: written,
    isThereOnce: async (store) => expect(await allPages(store)).toEqual([payment]),
  };
}

function preparePendingCreation(): Written {
  const payment = paymentIn("pending", atMs);
  const charge = simulatedCharge(atMs);
  return {
    write: async (store) => store.createPayment(() => writeOf(payment, { key: "order-1", charge })),
    gives: written,
    isThereOnce: async (store) => {
      expect(await allPages(store)).toEqual([payment]);
      expect(await peekDue(store, atMs, 10)).toEqual([{ scope, payment, charge }]);
    },
  };
}

async function prepareRefund(direct: Store, key?: string): Promise<Written> {
  const payment = paymentIn("succeeded", atMs);
  await direct.createPayment(() => writeOf(payment));
  const refunded = refund(payment, laterSeconds) as RefundedPayment;
  return {
    write: async (store) => store.transition(moveOf(refunded, "succeeded", key ? { key } : {})),
    gives: written,
    isThereOnce: async (store) => expect(await allPages(store)).toEqual([refunded]),
  };
}

async function pageOf(direct: Store) {
  const payment = paymentIn("pending", atMs, { card: null, redirect_url: "https://pay.test" });
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 1_000 };
  await direct.createPayment(() => writeOf(payment, { page }));
  return payment as PendingPayment;
}

async function preparePayment(direct: Store): Promise<Written> {
  const payment = succeedPayment(await pageOf(direct), card, laterSeconds);
  const event = eventOf();
  const write = { scope, payment, event, ...afterClaims };
  return {
    write: async (store) => store.closePage(write),
    gives: written,
    isThereOnce: async (store) => {
      expect(await readPayment(store, scope, payment.id)).toEqual(payment);
      expect(await store.closePage(write)).toEqual({ outcome: "conflict" });
    },
  };
}

const charge = storedCharge();

async function preparePageCharge(direct: Store): Promise<Written> {
  const payment = takeCard(await pageOf(direct), card, "") as ProcessingPayment;
  const claim = { nowMs: atMs, untilMs: atMs + 30 };
  return {
    write: async (store) => store.chargePage({ scope, payment, claim, charge }),
    gives: true,
    isThereOnce: async (store) => {
      expect(await store.findCharge(scope, payment.id)).toEqual(charge);
      expect(await readPayment(store, scope, payment.id)).toEqual(payment);
    },
  };
}

async function prepareChargeUpdate(
  direct: Store,
  gives: "written" | "already_answered",
): Promise<Written> {
  const payment = paymentIn("pending", atMs) as PendingPayment;
  const locked = { key: "order-1", lockedUntilMs: atMs + 10 };
  await direct.createPayment(() => writeOf(payment, { charge, ...locked }));
  if (gives === "already_answered")
    await direct.releaseLock(scope, { key: "order-1", fingerprint: "f" });
  const paid = succeedPayment(payment, card, laterSeconds);
  const move: ChargeUpdate = {
    scope,
    paymentId: payment.id,
    from: "charge",
    charge: { pendingAction: "none" },
    payment: { next: paid, from: "pending", event: eventOf() },
    request: { key: "order-1", fingerprint: "f", response: { status: 201, body: "paid" } },
  };
  return {
    write: async (store) => store.updateCharge(move),
    gives,
    isThereOnce: async (store) => {
      expect(await readPayment(store, scope, payment.id)).toEqual(paid);
      expect(await store.updateCharge(move)).toBe("conflict");
    },
  };
}

async function prepareRefundRequest(direct: Store): Promise<Written> {
  const payment = paymentIn("succeeded", atMs);
  const settled = storedCharge({ pendingAction: "none", dueAtMs: null });
  await direct.createPayment(() => writeOf(payment, { charge: settled }));
  const request = { key: "refund-1", fingerprint: "f", response: noResponseYet };
  const locked = { lockedUntilMs: atMs + 10, nowMs: atMs, expiresAtMs: atMs + 1_000 };
  const idempotency = { ...request, ...locked };
  const write = { scope, paymentId: payment.id, nowMs: atMs, dueAtMs: atMs + 10, idempotency };
  return {
    write: async (store) => store.requestRefund(write),
    gives: written,
    isThereOnce: async (store) => {
      expect(await store.findCharge(scope, payment.id)).toMatchObject({ pendingAction: "refund" });
      expect(await store.requestRefund(write)).toEqual({ outcome: "in_progress" });
    },
  };
}

async function prepareKey(direct: Store): Promise<Written> {
  const accountId = (await direct.listAccounts())[0]?.id ?? "";
  const key = {
    id: "key_1",
    object: "api_key",
    account: accountId,
    mode: "test",
    name: "ci",
    last4: "abcd",
    created: atMs / 1000,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    permissions,
    max_refund: null,
  } as const;
  return {
    write: async (store) => store.insertKey({ hash: "hash", key }),
    gives: undefined,
    isThereOnce: async (store) => expect(await store.listKeys(accountId)).toEqual([key]),
  };
}
