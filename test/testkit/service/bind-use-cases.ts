import { serve } from "../../../src/service/server/serve.ts";
import { openService } from "../../../src/service/server/open-service.ts";
import { bindUseCases } from "../../../src/service/server/open-administration.ts";
import { authenticate, recordKeyUses } from "../../../src/service/accounts/authenticate.ts";
import { createPayment } from "../../../src/service/payments/create-payment.ts";
import { createHostedPayment } from "../../../src/service/checkout/create-hosted-payment.ts";
import {
  canCancelPayment,
  cancelPage,
  cancelPayment,
} from "../../../src/service/checkout/cancel-payment.ts";
import {
  findChallengeStart,
  findPayments,
  getPayment,
  listAllDeliveries,
  listPayments,
} from "../../../src/service/payments/get-payment.ts";
import { getHistory } from "../../../src/service/history/get-history.ts";
import { isRefundInProgress, refundPayment } from "../../../src/service/payments/refund-payment.ts";
import { getReport } from "../../../src/service/reports/get-report.ts";
import {
  getEvent,
  listEvents,
  purgeEvents,
  resendEvent,
} from "../../../src/service/webhooks/event-log.ts";
import {
  getEndpoint,
  listEndpoints,
  listEndpointsWithHealth,
} from "../../../src/service/webhooks/find-endpoints.ts";
import {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  testEndpoint,
  updateEndpoint,
} from "../../../src/service/webhooks/manage-endpoints.ts";
import {
  getRequest,
  listRequests,
  purgeRequests,
} from "../../../src/service/requests/list-requests.ts";
import { getDelivery, listDeliveries } from "../../../src/service/webhooks/deliveries.ts";
import { recoverEndpoint } from "../../../src/service/webhooks/recover-endpoint.ts";
import {
  reportDelivery,
  startListener,
  takeDeliveries,
} from "../../../src/service/webhooks/listen.ts";
import { findPage } from "../../../src/service/checkout/find-page.ts";
import {
  endChallenge,
  findChallenge,
  payPage,
  returnFromPage,
} from "../../../src/service/checkout/pay-page.ts";
import { getOverview } from "../../../src/service/reports/get-overview.ts";
import {
  consumeIdempotencyKey,
  purgeIdempotencyRecords,
  purgeSomeIdempotencyRecords,
} from "../../../src/service/idempotency/run-idempotently.ts";
import {
  adoptKey,
  createAccount,
  createKey,
  getAccount,
  listAccounts,
  listKeys,
  renameAccount,
  revokeKey,
  rollKey,
  toPrincipal,
} from "../../../src/service/accounts/manage-accounts.ts";
import {
  changeRole,
  findInvitation,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
} from "../../../src/service/accounts/manage-operators.ts";
import {
  acceptInvitation,
  findSession,
  recordSessionUses,
  signOut,
  signOutEverywhere,
} from "../../../src/service/accounts/sessions.ts";
import { listActivity, purgeAuditLog } from "../../../src/service/accounts/accounts-service.ts";
import { createChargeSettler } from "../../../src/service/payments/settle-charges.ts";
import { createWebhookWorker } from "../../../src/service/webhooks/webhook-worker.ts";
import { type Adapters, createService, type Service } from "../../../src/service/service.ts";

const useCases = {
  authenticate,
  createPayment,
  createHostedPayment,
  canCancelPayment,
  cancelPayment,
  findChallengeStart,
  findPayments,
  getHistory,
  getPayment,
  listPayments,
  isRefundInProgress,
  refundPayment,
  getReport,
  getEvent,
  listEvents,
  resendEvent,
  getEndpoint,
  listEndpoints,
  listEndpointsWithHealth,
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  updateEndpoint,
  getRequest,
  listRequests,
  getDelivery,
  listAllDeliveries,
  listDeliveries,
  recoverEndpoint,
  testEndpoint,
  startListener,
  takeDeliveries,
  reportDelivery,
  findPage,
  payPage,
  cancelPage,
  returnFromPage,
  endChallenge,
  findChallenge,
  getOverview,
  consumeIdempotencyKey,
  createAccount,
  getAccount,
  listAccounts,
  renameAccount,
  toPrincipal,
  adoptKey,
  createKey,
  listKeys,
  revokeKey,
  rollKey,
  changeRole,
  findInvitation,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
  acceptInvitation,
  findSession,
  recordSessionUses,
  signOut,
  signOutEverywhere,
  listActivity,
  createChargeSettler,
  createWebhookWorker,
  recordKeyUses,
  purgeAuditLog,
  purgeEvents,
  purgeIdempotencyRecords,
  purgeSomeIdempotencyRecords,
  purgeRequests,
};

/** A service with its use cases as methods, which is how tests call them. */
export type BoundService = ReturnType<typeof bindAll>;

/** Opens a service over adapters, with its use cases as methods. */
export function createBoundService(adapters: Adapters): BoundService {
  return bindAll(createService(adapters));
}

/** A service with its use cases as methods. */
export const bindAll = (service: Service) => ({ ...service, ...bindUseCases(service, useCases) });

/** Opens the service of a database as the command does, with its use cases as methods. */
export async function openBoundService(...args: Parameters<typeof openService>) {
  const { service, close } = await openService(...args);
  return { service: bindAll(service), close };
}

/** Starts a service as `payments serve` does, with its use cases as methods. */
export async function serveBound(...args: Parameters<typeof serve>) {
  const server = await serve(...args);
  return { ...server, service: bindAll(server.service) };
}
