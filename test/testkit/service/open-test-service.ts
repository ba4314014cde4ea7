import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import { inject, onTestFinished } from "vitest";
import type { CardInput, CreatePaymentBody, Payment } from "../../../src/contract/payment.ts";
import { ids } from "../../../src/service/server/ids.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { IdempotentRequest } from "../../../src/service/idempotency/run-idempotently.ts";
import { createService } from "../../../src/service/use-cases/service.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Adapters, Store } from "../../../src/service/ports/ports.ts";
import { openEmptyStore } from "../database/open-empty-store.ts";
import { nextId } from "../payment-in.ts";
import { deadSender } from "./sender-for-test.ts";

export const startMs = Date.UTC(2026, 10, 15, 12);
export const startSeconds = startMs / 1000;
export const processingTimeMs = 1_000;
export const publicUrl = "https://payments.test";
export const hppExpiryMs = 60_000;

export type TestService = Awaited<ReturnType<typeof openTestService>>;

/**
 * Opens the service with its real parts on a new database, with a clock that a test sets. A test may replace
 * adapters.
 */
export async function openTestService(adapters: Partial<Adapters> = {}) {
  const time = { nowMs: startMs };
  const store = adapters.store ?? (await openNewStore());
  const testMode = createTestNetwork({ processingTimeMs });
  const simulator = createSimulatorNetwork({ processingTimeMs });
  let leasedCount = 0;
  const leaseDueCharges = store.leaseDueCharges.bind(store);
  store.leaseDueCharges = async (due) => {
    const charges = await leaseDueCharges(due);
    leasedCount += charges.length;
    return charges;
  };
  const service = createService({
    networkOf: ({ livemode }) => (livemode ? simulator : testMode),
    simulator,
    clock: () => time.nowMs,
    ids: {
      ...ids,
      payment: () => nextId(time.nowMs),
      event: () => nextId(time.nowMs).replace("pay_", "evt_"),
      endpoint: () => nextId(time.nowMs).replace("pay_", "we_"),
      delivery: () => nextId(time.nowMs).replace("pay_", "del_"),
      activity: () => nextId(time.nowMs).replace("pay_", "act_"),
    },
    publicUrl: () => publicUrl,
    hppExpiryMs,
    webhooks: { schedule: webhookSchedule, eventRetentionMs: 60_000, allowsPrivate: true },
    sender: deadSender,
    isStoreRemote: inject("postgresUrl") !== undefined,
    ...adapters,
    store,
  });
  const accountId = (await store.listAccounts())[0]?.id ?? "";
  const broken: unknown[] = [];
  const settler = service.createChargeSettler({
    wake: () => {},
    broken: (error) => broken.push(error),
  });
  return {
    service,
    store,
    time,
    test: { accountId, livemode: false },
    live: { accountId, livemode: true },
    /** Creates a payment; returns it as the API does. */
    pay: async (scope: Scope, body = bodyWith(), request?: IdempotentRequest) =>
      JSON.parse((await service.createPayment(scope, body, request)).body) as Payment,
    settler,
    /** Settles charges until none is due. */
    settleCharges: async () => {
      do {
        leasedCount = 0;
        await settler.settle();
        await settler.idle();
        if (broken.length > 0) throw broken[0];
      } while (leasedCount > 0);
    },
    /** Lets the processing time pass, and settles due payments. */
    settle: async () => {
      time.nowMs += processingTimeMs;
      return await service.settlePayments();
    },
  };
}

export async function openNewStore(): Promise<Store> {
  const { store, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  return store;
}

export function bodyWith(fields: Partial<CreatePaymentBody> = {}): CreatePaymentBody {
  return { amount: 4999, currency: "eur", card: cardWith(), ...fields };
}

export function cardWith(fields: Partial<CardInput> = {}): CardInput {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "987", ...fields };
}

export const declined = bodyWith({ card: cardWith({ number: "4000000000000002" }) });

/** Opens a store, some methods of which a test replaces. */
export async function openStoreWith(replace: (real: Store) => Partial<Store>): Promise<Store> {
  const real = await openNewStore();
  return { ...real, ...replace(real) };
}

/** A promise that a test resolves. */
export function createGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { opened, open };
}
