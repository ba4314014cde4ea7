import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { deliveryList, type Delivery } from "../../src/contract/delivery.ts";
import { event, eventList, type Event } from "../../src/contract/event.ts";
import {
  deliveryFields,
  eventFields,
  isAccount,
  isDeliveryList,
  isEndpoint,
  isEndpointList,
  isEvent,
  isEventList,
  isPayment,
  isPaymentList,
  issuedEndpointFields,
  paymentFields,
} from "../../src/contract/fast-checks.ts";
import { keyAccount, type KeyAccount } from "../../src/contract/key-account.ts";
import { paymentList } from "../../src/contract/list-object.ts";
import { payment, type Payment } from "../../src/contract/payment.ts";
import {
  endpointList,
  webhookEndpoint,
  type WebhookEndpoint,
} from "../../src/contract/webhook-endpoint.ts";

const paid: Payment = {
  id: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "payment",
  amount: 4999,
  currency: "eur",
  status: "succeeded",
  description: "Order 1001",
  card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
  customer: { email: "ada@example.com", name: "Ada Lovelace" },
  metadata: { order_id: "1001" },
  decline_code: null,
  decline_message: null,
  redirect_url: null,
  refunded_at: null,
  succeeded_at: 1_767_225_600,
  failed_at: null,
  created: 1_767_225_600,
  livemode: false,
};
const list = { object: "list", url: "/v1/payments", data: [paid, paid], has_more: false };

const account: KeyAccount = {
  id: "acct_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "account",
  name: "Books & Co",
  default_version: "2026-11-01",
  livemode: true,
};

const happened: Event = {
  id: "evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "event",
  type: "payment.succeeded",
  created: 1_767_225_600,
  livemode: false,
  sequence: 1,
  data: { object: paid },
};
const endpoint: WebhookEndpoint = {
  id: "we_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "webhook_endpoint",
  url: "https://shop.example/hooks",
  events: ["payment.failed"],
  description: null,
  status: "enabled",
  disabled_reason: null,
  secret: "whsec_c2VjcmV0",
  created: 1_767_225_600,
  livemode: false,
};
const delivery: Delivery = {
  id: "del_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "delivery",
  event: happened.id,
  type: "payment.succeeded",
  status: "pending",
  attempts: 1,
  next_attempt_at: 1_767_225_605,
  last_status: 500,
  last_error: null,
  created: 1_767_225_600,
};

/** What else could stand in a field's place, or nothing at all. */
const anything = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    "",
    "payment",
    "list",
    "account",
    ["*", 1],
    -1,
    0.5,
    2 ** 53,
    Number.NaN,
    {},
    [],
    [1],
  ),
  fc.constantFrom(...Object.values(paid), { a: 1 }, { brand: "visa" }),
  fc.anything(),
);
const place = fc.constantFrom<string[]>(
  ...[...Object.keys(paid), ...paymentFields].map((name) => name.split(".")),
  ["metadata", "order_id"],
);

/** Whether a glance lets through only what the contract does. */
function isHonest(glance: (value: unknown) => boolean, schema: z.ZodType, value: unknown): boolean {
  return !glance(value) || schema.safeParse(value).success;
}

function changed(value: object, [name = "", ...rest]: string[], to: unknown): object {
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) return { ...fields, [name]: to };
  return { ...fields, [name]: changed(fields[name] as object, rest, to) };
}

describe("at a glance", () => {
  test("a payment and a list of payments are what they are", () => {
    const pending = { ...paid, status: "pending", card: null, description: null };
    expect([paid, pending, { ...paid, added_later: 1 }].map(isPayment)).toEqual([true, true, true]);
    expect([list, { ...list, data: [] }].map(isPaymentList)).toEqual([true, true]);
  });

  test("nothing passes that the contract would refuse", () => {
    const changes = fc.array(fc.tuple(place, anything), { minLength: 1, maxLength: 2 });
    const property = fc.property(changes, (made) => {
      let value: object = paid;
      for (const [at, to] of made) value = isAt(value, at) ? changed(value, at, to) : value;
      const page = { ...list, data: [paid, value] };
      return isHonest(isPayment, payment, value) && isHonest(isPaymentList, paymentList, page);
    });
    expect(() => fc.assert(property, { numRuns: 3_000 })).not.toThrow();
  });

  test.each(Object.keys(list))("a list is none with another %s", (name) => {
    const property = fc.property(anything, (to) =>
      isHonest(isPaymentList, paymentList, { ...list, [name]: to }),
    );
    expect(() => fc.assert(property)).not.toThrow();
  });

  test("an account is what it is", () => {
    expect([account, { ...account, added_later: 1 }].map(isAccount)).toEqual([true, true]);
  });

  test.each(Object.keys(account))("an account is none with another %s", (name) => {
    const property = fc.property(anything, (to) =>
      isHonest(isAccount, keyAccount, { ...account, [name]: to }),
    );
    expect(() => fc.assert(property)).not.toThrow();
  });

  test("an event, an endpoint, and lists of them and of deliveries are what they are", () => {
    const { secret: _, ...listed } = endpoint;
    const done = { ...delivery, status: "delivered", next_attempt_at: null, last_status: null };
    expect([happened, { ...happened, added_later: 1 }].map(isEvent)).toEqual([true, true]);
    expect([endpoint, listed, { ...listed, url: null }].map(isEndpoint)).toEqual([
      true,
      true,
      true,
    ]);
    expect(isEventList({ ...list, data: [happened] })).toBe(true);
    expect(isEndpointList({ ...list, data: [listed] })).toBe(true);
    expect(isDeliveryList({ ...list, data: [delivery, done] })).toBe(true);
  });

  test.each([...Object.keys(happened), "data.object", "data.object.id"])(
    "an event is none with another %s",
    (name) => {
      const property = fc.property(anything, (to) => {
        const value = changed(happened, name.split("."), to);
        const page = { ...list, data: [happened, value] };
        return isHonest(isEvent, event, value) && isHonest(isEventList, eventList, page);
      });
      expect(() => fc.assert(property)).not.toThrow();
    },
  );

  test.each(Object.keys(endpoint))("an endpoint is none with another %s", (name) => {
    const property = fc.property(anything, (to) => {
      const value = { ...endpoint, [name]: to };
      const page = { ...list, data: [value] };
      return (
        isHonest(isEndpoint, webhookEndpoint, value) && isHonest(isEndpointList, endpointList, page)
      );
    });
    expect(() => fc.assert(property)).not.toThrow();
  });

  test.each(Object.keys(delivery))("a delivery is none with another %s", (name) => {
    const property = fc.property(anything, (to) => {
      const page = { ...list, data: [{ ...delivery, [name]: to }] };
      return isHonest(isDeliveryList, deliveryList, page);
    });
    expect(() => fc.assert(property)).not.toThrow();
  });

  test.each([null, undefined, "pay_1", 1, [], [paid]])("%j is none of them", (value) => {
    const glances = [
      isPayment,
      isPaymentList,
      isAccount,
      isEvent,
      isEventList,
      isEndpoint,
      isEndpointList,
      isDeliveryList,
    ];
    expect(glances.filter((glance) => glance(value))).toEqual([]);
  });
});

test.each([
  ["payment", paymentFields, payment.shape],
  ["event", eventFields, event.shape],
  ["endpoint", issuedEndpointFields, webhookEndpoint.shape],
  ["delivery", deliveryFields, deliveryList.shape.data.element.shape],
])("the fields of a %s are those of the contract, in its order", (_, fields, shape) => {
  expect([...new Set(fields.map((name) => name.split(".")[0]))]).toEqual(Object.keys(shape));
});

/** Whether the field's owner is still there. */
function isAt(value: object, at: string[]): boolean {
  const owner: unknown = at.length === 1 ? value : (value as Record<string, unknown>)[at[0] ?? ""];
  return typeof owner === "object" && owner !== null;
}
