import type { Actor } from "../../contract/activity.ts";
import type { CreateHostedBody } from "../../contract/hosted.ts";
import type { ListPaymentsQuery } from "../../contract/list.ts";
import type { CreatePaymentBody } from "../../contract/payment.ts";
import type {
  ListDeliveriesQuery,
  ReportDeliveryBody,
  StartListenerBody,
  TakeDeliveriesBody,
} from "../../contract/delivery.ts";
import type { ListEventsQuery, ResendEventBody } from "../../contract/event.ts";
import type { Role } from "../../contract/operator.ts";
import type {
  CreateEndpointBody,
  ListEndpointsQuery,
  RollEndpointBody,
  UpdateEndpointBody,
} from "../../contract/webhook-endpoint.ts";
import type { TypedCard } from "../domain/typed-card.ts";
import { useOnce, type IdempotentRequest } from "./answer-once.ts";
import {
  createAccount,
  getAccount,
  principalOf,
  renameAccount,
  type AccountRequest,
} from "./accounts.ts";
import { listActivity, type ActivityPage } from "./activity.ts";
import {
  adoptKey,
  createKey,
  listKeys,
  revokeKey,
  rollKey,
  type KeyName,
  type KeyRequest,
} from "./api-keys.ts";
import { askedOnce } from "./asked-once.ts";
import { authenticate, noteKeyUses } from "./authenticate.ts";
import { cancelPage } from "./cancel-page.ts";
import {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  updateEndpoint,
} from "./change-webhook-endpoints.ts";
import { checkStore } from "./check-store.ts";
import { createHostedPayment } from "./create-hosted-payment.ts";
import { createTotalsCounter } from "./count-totals.ts";
import { createPayment } from "./create-payment.ts";
import { createDeliverer } from "./deliver-webhooks.ts";
import { listDeliveries, listEventDeliveries } from "./deliveries.ts";
import { getEvent, listEvents, resendEvent } from "./events.ts";
import { findPage } from "./find-page.ts";
import { forgetActivity, forgetAnswers, forgetEvents, forgetSomeAnswers } from "./forget.ts";
import { getPayment } from "./get-payment.ts";
import { listPayments } from "./list-payments.ts";
import { reportDelivery, startListener, takeDeliveries } from "./listen.ts";
import {
  acceptInvitation,
  findSession,
  noteSessionUses,
  signOut,
  signOutEverywhere,
} from "./operator-sessions.ts";
import {
  changeRole,
  findInvitation,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
  type OperatorRequest,
  type Reinvitation,
} from "./operators.ts";
import { overview } from "./overview.ts";
import { payPage } from "./pay-page.ts";
import type { Scope } from "./kept-answers.ts";
import type { Adapters, Ports } from "./ports.ts";
import { isRefundUnderway, refundPayment } from "./refund-payment.ts";
import { returnFromPage } from "./return-from-page.ts";
import { settleCharges } from "./settle-charges.ts";
import { settlePayments } from "./settle-payments.ts";
import { getEndpoint, listEndpoints, watchEndpoints } from "./webhook-endpoints.ts";

/** What is asked of something by its id. */
type Asked<Body> = { id: string; body: Body };

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
    waiting: new Map(),
  };
  const chargesElsewhere = async () =>
    ports.store.chargesElsewhere(ports.networkOf({ livemode: true }).name);
  const isCurrent = askedOnce(async () => ports.store.isCurrent(), checkLimitMs);
  return {
    authenticate: (authorization: string | undefined) => authenticate(ports, authorization),
    createPayment: (scope: Scope, body: CreatePaymentBody, request?: IdempotentRequest) =>
      createPayment(ports, scope, body, request),
    createHostedPayment: (scope: Scope, body: CreateHostedBody, request?: IdempotentRequest) =>
      createHostedPayment(ports, scope, body, request),
    findPage: (token: string) => findPage(ports, token),
    payPage: (token: string, typed: TypedCard) => payPage(ports, token, typed),
    cancelPage: (token: string) => cancelPage(ports, token),
    returnFromPage: (token: string) => returnFromPage(ports, token),
    getPayment: (scope: Scope, id: string) => getPayment(ports, scope, id),
    listPayments: (scope: Scope, query: ListPaymentsQuery) => listPayments(ports, scope, query),
    refundPayment: (scope: Scope, id: string, request?: IdempotentRequest, actor?: Actor) =>
      refundPayment(ports, scope, id, request, actor),
    isRefundUnderway: (scope: Scope, id: string) => isRefundUnderway(ports, scope, id),
    /** Whether the store can be worked with, told within 2 s. */
    checkStore: () => checkStore({ isCurrent }),
    /** Payments and charges that wait to be settled, told within 1 s or else Unavailable. */
    settlementBacklog: askedOnce(
      async () => ({
        ...(await ports.store.backlog(ports.clock())),
        elsewhere: (await chargesElsewhere()).count,
      }),
      backlogLimitMs,
    ),
    /** What is not decided by another network than the service is attached to. */
    chargesElsewhere,
    /** Whether live payments go to a card network, and not to the built-in simulator. */
    movesMoney: !ports.networkOf({ livemode: true }).isLocal,
    settlePayments: () => settlePayments(ports),
    settleCharges: () => settleCharges(ports),
    /** Forgets all idempotency records that have expired, or until it is stopped; answers how many. */
    forgetAnswers: (signal?: AbortSignal) => forgetAnswers(ports, signal),
    /** Forgets some of them, which takes no time that a command would notice. */
    forgetSomeAnswers: () => forgetSomeAnswers(ports),
    getEvent: (scope: Scope, id: string) => getEvent(ports, scope, id),
    listEvents: (scope: Scope, query: ListEventsQuery) => listEvents(ports, scope, query),
    resendEvent: (
      scope: Scope,
      asked: Asked<ResendEventBody>,
      request?: IdempotentRequest,
      actor?: Actor,
    ) => resendEvent(ports, scope, asked, request, actor),
    createEndpoint: (
      scope: Scope,
      body: CreateEndpointBody,
      request?: IdempotentRequest,
      actor?: Actor,
    ) => createEndpoint(ports, scope, body, request, actor),
    getEndpoint: (scope: Scope, id: string) => getEndpoint(ports, scope, id),
    listEndpoints: (scope: Scope, query: ListEndpointsQuery) => listEndpoints(ports, scope, query),
    watchEndpoints: (scope: Scope) => watchEndpoints(ports, scope),
    updateEndpoint: (
      scope: Scope,
      asked: Asked<UpdateEndpointBody>,
      request?: IdempotentRequest,
      actor?: Actor,
    ) => updateEndpoint(ports, scope, asked, request, actor),
    rollEndpoint: (
      scope: Scope,
      asked: Asked<RollEndpointBody>,
      request?: IdempotentRequest,
      actor?: Actor,
    ) => rollEndpoint(ports, scope, asked, request, actor),
    deleteEndpoint: (scope: Scope, id: string, actor?: Actor) =>
      deleteEndpoint(ports, scope, id, actor),
    listDeliveries: (scope: Scope, endpointId: string, query: ListDeliveriesQuery) =>
      listDeliveries(ports, scope, endpointId, query),
    listEventDeliveries: (scope: Scope, eventId: string) =>
      listEventDeliveries(ports, scope, eventId),
    startListener: (scope: Scope, asked: Asked<StartListenerBody>, gone?: AbortSignal) =>
      startListener(ports, scope, asked, gone),
    takeDeliveries: (scope: Scope, asked: Asked<TakeDeliveriesBody>, gone?: AbortSignal) =>
      takeDeliveries(ports, scope, asked, gone),
    reportDelivery: (scope: Scope, asked: Asked<ReportDeliveryBody>) =>
      reportDelivery(ports, scope, asked),
    /** Delivers webhooks, where there is somebody to send them. */
    createDeliverer: (parts: Parameters<typeof createDeliverer>[1]) =>
      createDeliverer(ports, parts),
    /** Deliveries that wait, told within 1 s or else Unavailable. */
    webhookBacklog: askedOnce(() => ports.store.webhookBacklog(ports.clock()), backlogLimitMs),
    /** Forgets all events that were kept for long enough, or until it is stopped. */
    forgetEvents: (signal?: AbortSignal) => forgetEvents(ports, signal),
    /** The figures of the last 30 days. */
    overview: (scope: Scope, currency?: string) => overview(ports, scope, currency),
    /** Adds to the totals of all accounts what has happened since the last time, or until it is stopped. */
    countTotals: createTotalsCounter(ports),
    getAccount: (scope: Scope) => getAccount(ports, scope),
    useOnce: (scope: Scope, request: IdempotentRequest) => useOnce(ports, scope, request),
    principalOf: (scope: Scope) => principalOf(ports, scope),
    createAccount: (request: AccountRequest, actor?: Actor) => createAccount(ports, request, actor),
    /** Every account, oldest first. */
    listAccounts: () => ports.store.listAccounts(),
    renameAccount: (id: string, name: string, actor?: Actor) =>
      renameAccount(ports, id, name, actor),
    createKey: (request: KeyRequest, actor?: Actor) => createKey(ports, request, actor),
    adoptKey: (secret: string, request: KeyRequest) => adoptKey(ports, secret, request),
    listKeys: (account?: string) => listKeys(ports, account),
    rollKey: (key: KeyName, overlapMs: number, actor?: Actor) =>
      rollKey(ports, key, overlapMs, actor),
    revokeKey: (key: KeyName, actor?: Actor) => revokeKey(ports, key, actor),
    /** Notes which keys were used since they were noted last. */
    noteKeyUses: () => noteKeyUses(ports),
    inviteOperator: (request: OperatorRequest, actor: Actor) =>
      inviteOperator(ports, request, actor),
    reinviteOperator: (asked: Reinvitation, actor: Actor) => reinviteOperator(ports, asked, actor),
    changeRole: (asked: { id: string; role: Role }, actor: Actor) =>
      changeRole(ports, asked, actor),
    removeOperator: (id: string, actor: Actor, accountId?: string) =>
      removeOperator(ports, id, actor, accountId),
    listOperators: (accountId?: string) => listOperators(ports, accountId),
    findInvitation: (token: string) => findInvitation(ports, token),
    acceptInvitation: (token: string) => acceptInvitation(ports, token),
    findSession: (secret: string) => findSession(ports, secret),
    /** Notes which sessions were used since they were noted last. */
    noteSessionUses: () => noteSessionUses(ports),
    signOut: (secret: string) => signOut(ports, secret),
    signOutEverywhere: (operatorId: string) => signOutEverywhere(ports, operatorId),
    listActivity: (accountId: string, page: ActivityPage) => listActivity(ports, accountId, page),
    /** Forgets what was done a year ago, and sessions that are over, or until it is stopped. */
    forgetActivity: (signal?: AbortSignal) => forgetActivity(ports, signal),
  };
}
