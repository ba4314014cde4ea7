import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { DeliveryTry } from "../../src/contract/delivery.ts";
import {
  deliveryFields,
  eventFields,
  fastChecks,
  issuedEndpointFields,
  paymentFields,
  requestFields,
} from "../../src/contract/fast-checks.ts";
import { type KeyAccount, responseSchemas } from "../../src/contract/schemas.ts";
import type { WebhookEndpoint } from "../../src/contract/webhook-endpoint.ts";
import {
  exampleEndpoint,
  exampleEvent as event,
  examplePayment as paid,
  triedDelivery as delivery,
} from "../../bin/openapi/example-objects.ts";
import { requestWith } from "../testkit/api-objects.ts";

const account: KeyAccount = {
  id: "acct_0199c5a8-7f3e-7abc-9def-0123456789ab",
  object: "account",
  name: "Books & Co",
  default_version: "2026-11-01",
  livemode: true,
};

const endpoint: WebhookEndpoint = { ...exampleEndpoint, secret: "whsec_c2VjcmV0" };
const deliveryTry: DeliveryTry = {
  created: 1_767_225_600,
  status: 500,
  duration_ms: 12,
  error: "the endpoint answered 500",
  answer: "Sorry",
};

const request = requestWith({ payment: paid.id });

const listOf = (...data: object[]) => ({ object: "list", url: "/v1/x", data, has_more: false });

/** By response: values that pass, the first with every field. */
const valid: Record<keyof typeof fastChecks, object[]> = {
  payment: [paid, { ...paid, status: "pending", card: null, description: null }],
  paymentList: [listOf(paid, paid), listOf()],
  account: [account],
  event: [event],
  eventList: [listOf(event)],
  endpoint: [
    endpoint,
    { ...exampleEndpoint, url: null, events: ["payment.failed"], description: null },
  ],
  endpointList: [listOf(exampleEndpoint)],
  request: [request, { ...request, error: null, payment: null, idempotency_key: null }],
  requestList: [listOf(request)],
  deliveryDetails: [
    { ...delivery, tries: [deliveryTry] },
    { ...delivery, tries: Array.from({ length: 20 }, () => ({ ...deliveryTry, status: null })) },
  ],
  deliveryList: [
    listOf(delivery, { ...delivery, status: "delivered", next_attempt_at: null, last_error: null }),
  ],
};

const anything = fc.oneof(
  fc.constantFrom(undefined, null, "", "payment", "list", "account", ["*", 1], -1, 0.5, 2 ** 53),
  fc.constantFrom(Number.NaN, {}, [], [1], { a: 1 }, { brand: "visa" }, ...Object.values(paid)),
  fc.anything(),
);

/** The paths of a value's fields, also inside others. */
function listPaths(value: unknown, owner: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = owner.concat(name);
    return [path].concat(listPaths(inner, path));
  });
}

function change(value: unknown, [name = "", ...rest]: string[], to: unknown): unknown {
  if (typeof value !== "object" || value === null) return value; // changed before
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as never;
  Object.assign(copy, { [name]: rest.length > 0 ? change(value[name as never], rest, to) : to });
  return copy;
}

const cases = Object.entries(valid) as [keyof typeof fastChecks, object[]][];

test.for(cases)("a valid %s passes, and also with a new field", ([name, values]) => {
  for (const value of [...values, { ...values[0], added_later: 1 }]) {
    expect(fastChecks[name](value)).toBe(true);
  }
});

test.for(cases)("no changed %s passes that the contract refuses", ([name, [value]]) => {
  const path = fc.constantFrom(...listPaths(value));
  const changes = fc.array(fc.tuple(path, anything), { minLength: 1, maxLength: 2 });
  const property = fc.property(changes, (made) => {
    const changed = made.reduce<unknown>((before, [at, to]) => change(before, at, to), value);
    return !fastChecks[name](changed) || responseSchemas[name].safeParse(changed).success;
  });
  expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
});

test.for([null, undefined, "pay_1", 1, [], [paid]])("%j passes no check", (value) => {
  expect(Object.values(fastChecks).filter((check) => check(value))).toEqual([]);
});

const {
  payment,
  event: eventSchema,
  endpoint: endpointSchema,
  delivery: deliverySchema,
  request: requestSchema,
} = responseSchemas;

test.for([
  ["payment", paymentFields, payment.shape],
  ["event", eventFields, eventSchema.shape],
  ["endpoint", issuedEndpointFields, endpointSchema.shape],
  ["delivery", deliveryFields, deliverySchema.shape],
  ["request", requestFields, requestSchema.shape],
] as const)("the fields of a %s are those of the contract, in its order", ([, fields, shape]) => {
  expect([...new Set(fields.map((name) => name.split(".")[0]))]).toEqual(Object.keys(shape));
});
