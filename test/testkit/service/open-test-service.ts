import { inject, onTestFinished } from "vitest";
import type { Actor, Operator } from "../../../src/contract/administration.ts";
import type {
  CardInput,
  CreateHostedBody,
  CreatePaymentBody,
  Payment,
} from "../../../src/contract/payment.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { IdempotentRequest } from "../../../src/service/idempotency/run-idempotently.ts";
import type {
  Charge,
  ChargeOutcome,
  LocalNetwork,
} from "../../../src/service/networks/card-network.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { Adapters, Store } from "../../../src/service/service.ts";
import { ids } from "../../../src/service/database/ids.ts";
import { createBoundService } from "./bind-use-cases.ts";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import { openEmptyStore } from "../database/open-database.ts";
import { nextId, parsePayment } from "../database/records.ts";
import { deadSender } from "./webhooks.ts";

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
  const service = createBoundService({
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

export const hostedBody: CreateHostedBody = { amount: 4999, currency: "eur" };

/** A card as it is typed on a page. */
export const typedVisa = {
  number: "4242 4242 4242 4242",
  expiry: "12/30",
  cvc: "987",
  name: "A. Lovelace",
};

/** Creates a payment with a page, and returns functions to read both. */
export async function openPage(
  { service }: Pick<TestService, "service">,
  scope: Scope,
  fields: Partial<CreateHostedBody> = {},
  request?: IdempotentRequest,
) {
  const body = { ...hostedBody, ...fields };
  const answer = await service.createHostedPayment(scope, body, request);
  const created = JSON.parse(answer.body) as Payment;
  const token = tokenOf(created);
  return {
    created,
    token,
    state: async () => (await service.findPage(token)).state,
    payment: async () => parsePayment(await service.getPayment(scope, created.id)),
  };
}

export function tokenOf({ redirect_url }: Payment): string {
  return redirect_url?.split("/").at(-1) ?? "";
}

/** A network that records its calls, and charges each id once. It answers when `gate` resolves. */
export function createRecordingNetwork() {
  const calls: (Charge & { card: CardInput })[] = [];
  const charged = new Map<string, Promise<ChargeOutcome>>();
  const real = createTestNetwork({ processingTimeMs });
  const network: LocalNetwork = {
    ...real,
    charge: async (charge, card) => {
      calls.push({ ...charge, card });
      const answer = charged.get(charge.id) ?? real.charge(charge, card);
      charged.set(charge.id, answer);
      await counting.gate;
      return await answer;
    },
  };
  const counting = {
    calls,
    charged,
    networkOf: () => network,
    gate: Promise.resolve(),
  };
  return counting;
}

export const command: Actor = { type: "command", id: null, name: "root" };

/** Two accounts, `first` and `second`, and operators in them. */
export async function openWithOperators(adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service, store, test } = opened;
  const second = (await service.createAccount({ name: "Books" })).id;

  const invite = async (fields: Partial<Pick<Operator, "name" | "role" | "accounts">> = {}) =>
    service.inviteOperator(
      { name: "Ada", role: "admin", accounts: [test.accountId], ...fields },
      command,
    );

  /** Invites an operator, who signs in at once. */
  async function signIn(fields: Parameters<typeof invite>[0] = {}) {
    const { operator, token } = await invite(fields);
    const accepted = await service.acceptInvitation(token);
    if (!accepted) throw new Error("The invitation was refused.");
    const actor: Actor = { type: "operator", id: operator.id, name: operator.name };
    return { id: operator.id, actor, secret: accepted.secret };
  }

  const listAuditLog = async (accountId = test.accountId) =>
    (await service.listActivity(accountId, {})).items;

  return {
    ...opened,
    first: test.accountId,
    second,
    invite,
    signIn,
    listAuditLog,
    listActions: async (accountId?: string) =>
      (await listAuditLog(accountId)).map(({ action }) => action),
    /** Another replica on the same database. */
    openReplica: async () => (await openTestService({ ...adapters, store })).service,
  };
}
