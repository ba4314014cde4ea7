import type { LoggedRequest } from "../../src/contract/logged-request.ts";

/** A logged request that was refused. */
export function requestWith(fields: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: "req_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "request",
    created: 1_767_225_600,
    method: "POST",
    path: "/v1/payments",
    status: 400,
    duration_ms: 1.5,
    key: { id: "key_0199c5a8-7f3e-7abc-9def-0123456789ab", name: "shop" },
    error: { type: "invalid_request_error", code: "parameter_invalid", param: "amount" },
    payment: null,
    idempotency_key: "order-1",
    replayed: false,
    livemode: false,
    ...fields,
  };
}
