import type { ListPaymentsQuery } from "../contract/list.ts";
import type { Mode } from "../contract/key.ts";
import type { CreatePaymentBody } from "../contract/payment.ts";
import type { IdempotentRequest, InFlight } from "./answer-once.ts";
import { authenticate, type KeyCache } from "./authenticate.ts";
import { adoptKey, createKey } from "./create-key.ts";
import { createPayment } from "./create-payment.ts";
import { getPayment } from "./get-payment.ts";
import { listKeys } from "./list-keys.ts";
import { listPayments } from "./list-payments.ts";
import type { CardNetwork, Clock, Ids, Scope, Store } from "./ports.ts";
import { refundPayment } from "./refund-payment.ts";
import { revokeKey } from "./revoke-key.ts";
import { rollKey } from "./roll-key.ts";
import { settlePayments } from "./settle-payments.ts";

export type Adapters = {
  store: Store;
  networkOf: (scope: Scope) => CardNetwork;
  clock: Clock;
  ids: Ids;
};

/** What a use case works with: the adapters, and what this process remembers between requests. */
export type Ports = Adapters & { keyCache: KeyCache; inFlight: InFlight };

export type Service = ReturnType<typeof createService>;

/** The payments service: its use cases, over the given adapters. */
export function createService(adapters: Adapters) {
  const ports: Ports = { ...adapters, keyCache: new Map(), inFlight: new Map() };
  return {
    authenticate: async (authorization: string | undefined) => authenticate(ports, authorization),
    createPayment: async (scope: Scope, body: CreatePaymentBody, request?: IdempotentRequest) =>
      createPayment(ports, scope, body, request),
    getPayment: async (scope: Scope, id: string) => getPayment(ports, scope, id),
    listPayments: async (scope: Scope, query: ListPaymentsQuery) =>
      listPayments(ports, scope, query),
    refundPayment: async (scope: Scope, id: string, request?: IdempotentRequest) =>
      refundPayment(ports, scope, id, request),
    settlePayments: async () => settlePayments(ports),
    forgetAnswers: async () => ports.store.forgetAnswers(ports.clock(), 500),
    createKey: async (request: { mode: Mode; name: string }) => createKey(ports, request),
    adoptKey: async (secret: string, request: { mode: Mode; name: string }) =>
      adoptKey(ports, secret, request),
    listKeys: async () => listKeys(ports),
    rollKey: async (id: string, overlapMs: number) => rollKey(ports, id, overlapMs),
    revokeKey: async (id: string) => revokeKey(ports, id),
  };
}
