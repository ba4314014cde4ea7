import { describe, expect, test } from "vitest";
import type { Activity } from "../../../src/contract/administration.ts";
import { tellHistory } from "../../../src/service/history/history-state.ts";
import type { StoredHistory } from "../../../src/service/history/moment-state.ts";
import type { StoredRequest } from "../../../src/service/requests/requests-store.ts";
import type { TriedDelivery } from "../../../src/service/webhooks/deliveries-sql.ts";
import { nextId, paymentIn } from "../../testkit/database/records.ts";

const atMs = Date.UTC(2026, 10, 15, 12);
const at = atMs / 1000;
const scope = { accountId: "acct_1", livemode: false };
const endpoint = "we_00000000-0000-7000-8000-abcdef012345";

function idAt(prefix: string, ms: number): string {
  return nextId(ms).replace("pay_", prefix);
}

function storedWith(fields: Partial<StoredHistory> = {}): StoredHistory {
  const payment = paymentIn("succeeded", atMs, { id: nextId(atMs) });
  return {
    payment,
    charge: undefined,
    page: undefined,
    events: [{ id: payment.id.replace("pay_", "evt_"), type: "payment.succeeded" }],
    deliveries: [],
    endpoints: [],
    requests: [],
    activity: [],
    isCut: false,
    ...fields,
  };
}

function deliveryWith(fields: Partial<TriedDelivery> = {}): TriedDelivery {
  const eventId = idAt("evt_", atMs + 5_000);
  return {
    id: `${eventId.replace("evt_", "del_")}-abcdef0123`,
    endpointId: endpoint,
    eventId,
    type: "payment.succeeded",
    status: "delivered",
    attempts: 1,
    dueAtMs: null,
    lastStatus: 200,
    lastError: null,
    createdMs: atMs + 5_000,
    tries: [],
    ...fields,
  };
}

function refusedAt(ms: number): StoredRequest {
  const path = "/v1/payments/pay_1/refund";
  return {
    scope,
    id: idAt("req_", ms),
    method: "POST",
    path,
    status: 422,
    durationMs: 1.5,
    keyId: "key_1",
    keyName: "shop",
    paymentId: "pay_1",
    idempotencyKey: null,
    errorCode: "payment_already_refunded",
    errorParam: null,
    isReplayed: false,
  };
}

function entryAt(ms: number, fields: Pick<Activity, "action" | "detail">): Activity {
  return {
    id: idAt("act_", ms),
    object: "activity",
    account: "acct_1",
    livemode: false,
    actor: { type: "api_key", id: "key_1", name: "support" },
    subject: { id: "pay_1", name: null },
    created: Math.floor(ms / 1000),
    ...fields,
  };
}

function tell(stored: StoredHistory): string[] {
  const { data, due } = tellHistory(stored);
  return [...data, ...due].map(({ kind, text }) => `${kind}: ${text}`);
}

/** The moment of a delivery to an endpoint, or a listener. */
function tellDeliveryTo(url: string | null, description: string | null): string | undefined {
  const endpoints = [{ id: endpoint, url, description }];
  return tell(storedWith({ deliveries: [deliveryWith()], endpoints })).at(-1);
}

describe("a history", () => {
  test("has the payment's own moments, by nobody known, where nothing else is stored", () => {
    const { payment } = storedWith();
    const refunded = paymentIn("refunded", atMs, { id: payment.id });
    const { data } = tellHistory(storedWith({ payment: refunded, events: [] }));
    expect(data.map(({ kind, by, event }) => [kind, by?.type, event])).toEqual([
      ["created", undefined, null],
      ["succeeded", "service", null],
      ["refunded", undefined, null],
    ]);
    expect(data.map((moment) => moment.at)).toEqual([at, at + 1, at + 2]);
    for (const { text } of data) expect(text).not.toContain("No webhook");
  });

  test("says why it was refunded, as the activity does", () => {
    const { payment } = storedWith();
    const refunded = paymentIn("refunded", atMs, { id: payment.id });
    const detail = "Ticket 7: arrived broken.";
    const entry = entryAt(atMs + 2_000, { action: "payment.refunded", detail });
    const stored = storedWith({ payment: refunded, events: [], activity: [entry] });
    expect(tell(stored).at(-1)).toMatch(
      /^refunded: The payment was refunded: 49\.99 EUR goes back to the \w+ card ending in 4242\. Reason: Ticket 7: arrived broken\.$/,
    );
    expect(tellHistory(stored).data.at(-1)?.by).toEqual({
      type: "key",
      id: "key_1",
      name: "support",
    });
  });

  test("has what a request did before its refusal, where milliseconds are rounded to less", () => {
    const { payment } = storedWith();
    const path = `/v1/payments/${payment.id}/refund`;
    const request = { ...refusedAt(atMs + 5_000), path, errorCode: "refund_declined" as const };
    const entry = entryAt(atMs + 5_002, { action: "payment.refund_requested", detail: null });
    const moments = tell(storedWith({ payment, requests: [request], activity: [entry] }));
    expect(moments.slice(2).map((line) => line.split(":")[0])).toEqual([
      "refund_requested",
      "refused",
    ]);
  });

  test("has the newest 1,000 moments, and says that there are more", () => {
    const requests = Array.from({ length: 1_001 }, (_, n) => refusedAt(atMs + 5_000 - n));
    const { data, has_more: hasMore } = tellHistory(storedWith({ requests }));
    expect([data.length, hasMore]).toEqual([1_000, true]);
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(["refused"]));
    expect(data.at(-1)?.request).toBe(requests[0]?.id);
    const fewer = storedWith({ requests: requests.slice(0, 998) });
    expect(tellHistory(fewer)).toMatchObject({ has_more: false });
    expect(tellHistory({ ...fewer, isCut: true })).toMatchObject({ has_more: true });
  });

  test("tells of a delivery of which an older program stored no tries", () => {
    const told = (delivery: TriedDelivery) => tell(storedWith({ deliveries: [delivery] })).at(-1);
    expect(told(deliveryWith())).toBe(
      "delivered: payment.succeeded was delivered to an endpoint that was deleted, which answered 200.",
    );
    const lastError = "The event has expired.";
    const failed = { status: "failed", lastStatus: null, lastError } as const;
    expect(told(deliveryWith(failed))).toBe(
      "delivery_failed: payment.succeeded was not delivered to an endpoint that was deleted: the event has expired; it is not tried again.",
    );
    const waiting = {
      status: "pending",
      lastStatus: 503,
      lastError: "503",
      dueAtMs: atMs,
    } as const;
    expect(tell(storedWith({ deliveries: [deliveryWith(waiting)] })).slice(-2)).toEqual([
      "delivery_failed: payment.succeeded was not delivered to an endpoint that was deleted, which answered 503.",
      "delivery: payment.succeeded is sent to an endpoint that was deleted again.",
    ]);
  });

  test("names a listener by its description, and no query of an address", () => {
    expect(tellDeliveryTo(null, "Ada's laptop")).toContain("delivered to Ada's laptop, which");
    expect(tellDeliveryTo(null, null)).toContain("delivered to payments listen, which");
    expect(tellDeliveryTo("https://shop.example/hooks?key=hidden", null)).toContain(
      "delivered to https://shop.example/hooks?…, which",
    );
  });

  test.each([
    [90_000, "2 minutes"],
    [60_000, "1 minute"],
    [300_000, "5 minutes"],
    [5_400_000, "90 minutes"],
    [86_400_000, "24 hours"],
    [30 * 86_400_000, "30 days"],
  ])("says how long a page is open: %i ms", (lifeMs, span) => {
    const page = {
      token: "t",
      returnUrl: null,
      expiresAtMs: atMs + lifeMs,
      openUntilMs: null,
      claimedUntilMs: 0,
      challengeUrl: null,
      challengedAtMs: null,
      askedAtMs: null,
    };
    expect(tell(storedWith({ page }))[0]).toContain(`a payment page that stays open for ${span}.`);
  });
});
