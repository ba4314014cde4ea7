// Every use case of the service; each takes the ports as its first argument.

// Of a merchant, by an API key
export { authenticate } from "../accounts/authenticate.ts";
export { createPayment } from "../payments/create-payment.ts";
export { createHostedPayment } from "../checkout/create-hosted-payment.ts";
export { canCancelPayment, cancelPayment } from "../checkout/cancel-payment.ts";
export { findChallengeStart, findPayments, getPayment } from "../payments/get-payment.ts";
export { listPayments } from "../payments/list-payments.ts";
export { isRefundInProgress } from "../payments/refund-at-network.ts";
export { refundPayment } from "../payments/refund-payment.ts";
export { getReport } from "../reports/get-report.ts";
export { getEvent, listEvents, resendEvent } from "../webhooks/event-log.ts";
export { getEndpoint, listEndpoints, listEndpointsWithHealth } from "../webhooks/find-endpoints.ts";
export {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  updateEndpoint,
} from "../webhooks/change-webhook-endpoints.ts";
export { getRequest, listRequests } from "../requests/list-requests.ts";
export { getDelivery, listDeliveries, listEventDeliveries } from "../webhooks/deliveries.ts";
export { recoverEndpoint } from "../webhooks/recover-endpoint.ts";
export { testEndpoint } from "../webhooks/test-endpoint.ts";
export { startListener, takeDeliveries } from "../webhooks/listen.ts";
export { reportDelivery } from "../webhooks/report-delivery.ts";

// Of a customer, on a payment's page
export { findPage } from "../checkout/find-page.ts";
export { payPage } from "../checkout/pay-page.ts";
export { cancelPage } from "../checkout/cancel-page.ts";
export { returnFromPage } from "../checkout/return-from-page.ts";
export { endChallenge, findChallenge } from "../checkout/end-challenge.ts";

// Of an operator, in the dashboard or by a command
export { getOverview } from "../reports/get-overview.ts";
export { consumeIdempotencyKey } from "../idempotency/run-idempotently.ts";
export {
  createAccount,
  getAccount,
  listAccounts,
  renameAccount,
  toPrincipal,
} from "../accounts/manage-accounts.ts";
export { adoptKey, createKey, listKeys, revokeKey, rollKey } from "../accounts/manage-keys.ts";
export {
  changeRole,
  findInvitation,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
} from "../accounts/manage-operators.ts";
export {
  acceptInvitation,
  findSession,
  recordSessionUses,
  signOut,
  signOutEverywhere,
} from "../accounts/sessions.ts";
export { listActivity } from "../accounts/audit-log.ts";

// Of the service itself, in the background
export { createChargeSettler } from "../payments/settle-charges.ts";
export { createWebhookWorker } from "../webhooks/deliver-webhooks.ts";
export { recordKeyUses } from "../accounts/authenticate.ts";
export { purgeAuditLog } from "../accounts/purge-audit-log.ts";
export { purgeEvents } from "../webhooks/purge-events.ts";
export {
  purgeIdempotencyRecords,
  purgeSomeIdempotencyRecords,
} from "../idempotency/purge-records.ts";
export { purgeRequests } from "../requests/purge-requests.ts";
