import {
  createAccount,
  getAccount,
  listAccounts,
  toPrincipal,
  renameAccount,
} from "../accounts/manage-accounts.ts";
import { listActivity } from "../accounts/audit-log.ts";
import { consumeIdempotencyKey } from "../idempotency/run-idempotently.ts";
import { adoptKey, createKey, listKeys, revokeKey, rollKey } from "../accounts/manage-keys.ts";
import { singleFlight } from "../../runtime/timeouts.ts";
import { authenticate, recordKeyUses } from "../accounts/authenticate.ts";
import { cancelPage } from "../checkout/cancel-page.ts";
import {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  updateEndpoint,
} from "../webhooks/change-webhook-endpoints.ts";
import { checkStore } from "./check-store.ts";
import { createHostedPayment } from "../checkout/create-hosted-payment.ts";
import { createTotalsCounter } from "../reports/count-totals.ts";
import { createPayment } from "../payments/create-payment.ts";
import { createWebhookWorker } from "../webhooks/deliver-webhooks.ts";
import { listDeliveries, listEventDeliveries } from "../webhooks/deliveries.ts";
import { getEvent, listEvents, resendEvent } from "../webhooks/event-log.ts";
import { findPage } from "../checkout/find-page.ts";
import {
  purgeAuditLog,
  purgeIdempotencyRecords,
  purgeEvents,
  purgeSomeIdempotencyRecords,
} from "./purge.ts";
import { getPayment } from "../payments/get-payment.ts";
import { listPayments } from "../payments/list-payments.ts";
import { reportDelivery, startListener, takeDeliveries } from "../webhooks/listen.ts";
import {
  acceptInvitation,
  findSession,
  recordSessionUses,
  signOut,
  signOutEverywhere,
} from "../accounts/sessions.ts";
import {
  changeRole,
  findInvitation,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
} from "../accounts/manage-operators.ts";
import { getOverview } from "../reports/get-overview.ts";
import { payPage } from "../checkout/pay-page.ts";
import type { Adapters, Ports } from "../ports/ports.ts";
import { isRefundInProgress, refundPayment } from "../payments/refund-payment.ts";
import { returnFromPage } from "../checkout/return-from-page.ts";
import { createChargeSettler } from "../payments/settle-charges.ts";
import { settlePayments } from "./settle-pending.ts";
import { getEndpoint, listEndpoints, watchEndpoints } from "../webhooks/find-endpoints.ts";

const useCases = {
  // Of a merchant, by a key
  authenticate,
  getAccount,
  createPayment,
  createHostedPayment,
  getPayment,
  listPayments,
  refundPayment,
  isRefundInProgress,
  getEvent,
  listEvents,
  resendEvent,
  createEndpoint,
  getEndpoint,
  listEndpoints,
  watchEndpoints,
  updateEndpoint,
  rollEndpoint,
  deleteEndpoint,
  listDeliveries,
  listEventDeliveries,
  startListener,
  takeDeliveries,
  reportDelivery,

  // Of a customer, on a payment's page
  findPage,
  payPage,
  cancelPage,
  returnFromPage,

  // Of an operator, in the dashboard or by a command
  getOverview,
  consumeIdempotencyKey,
  toPrincipal,
  createAccount,
  listAccounts,
  renameAccount,
  createKey,
  adoptKey,
  listKeys,
  rollKey,
  revokeKey,
  inviteOperator,
  reinviteOperator,
  changeRole,
  removeOperator,
  listOperators,
  findInvitation,
  acceptInvitation,
  findSession,
  signOut,
  signOutEverywhere,
  listActivity,

  // Of the service itself, in the background
  settlePayments,
  createChargeSettler,
  createWebhookWorker,
  recordKeyUses,
  recordSessionUses,
  purgeIdempotencyRecords,
  purgeSomeIdempotencyRecords,
  purgeEvents,
  purgeAuditLog,
};

export type Service = ReturnType<typeof createService>;

const checkLimitMs = 2_000;
const backlogLimitMs = 1_000;

/** The payments service: its use cases, over the given adapters. */
export function createService(adapters: Adapters) {
  const ports: Ports = {
    ...adapters,
    keyCache: new Map(),
    keyLookups: new Map(),
    sessionUses: new Map(),
    inFlight: new Map(),
    waitingListeners: new Map(),
  };
  const countOtherNetworksCharges = async () =>
    ports.store.countOtherNetworksCharges(ports.networkOf({ livemode: true }).name);
  const isCurrent = singleFlight(async () => ports.store.isCurrent(), checkLimitMs);
  return {
    ...given(ports, useCases),
    /** Whether the store can be worked with, told within 2 s. */
    checkStore: () => checkStore({ isCurrent }),
    /** Payments and charges that wait to be settled, told within 1 s or else Unavailable. */
    settlementBacklog: singleFlight(
      async () => ({
        ...(await ports.store.measureBacklog(ports.clock())),
        elsewhere: (await countOtherNetworksCharges()).count,
      }),
      backlogLimitMs,
    ),
    /** What is not decided by another network than the service is attached to. */
    countOtherNetworksCharges,
    /** Whether live payments go to a card network, and not to the built-in simulator. */
    movesMoney: !ports.networkOf({ livemode: true }).isLocal,
    /** Deliveries that wait, told within 1 s or else Unavailable. */
    measureWebhookBacklog: singleFlight(
      () => ports.store.measureWebhookBacklog(ports.clock()),
      backlogLimitMs,
    ),
    /** Adds to the totals of all accounts what has happened since the last time, or until it is stopped. */
    countTotals: createTotalsCounter(ports),
  };
}

type Given<UseCase> = UseCase extends (ports: Ports, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** The same functions, each with the ports as its first argument. */
function given<All extends Record<string, (ports: Ports, ...rest: never[]) => unknown>>(
  ports: Ports,
  all: All,
) {
  const pairs = Object.entries(all).map(([name, useCase]) => [
    name,
    (...rest: never[]) => useCase(ports, ...rest),
  ]);
  return Object.fromEntries(pairs) as { [Name in keyof All]: Given<All[Name]> };
}
