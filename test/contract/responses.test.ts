import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { examplePayment as paid } from "../../bin/openapi/example-objects.ts";
import { operationExamples } from "../../bin/openapi/operation-examples.ts";
import { renderResponses, responsesFile } from "../../bin/responses.ts";
import {
  deliveryDetailsFields,
  deliveryFields,
  endpointFields,
  eventFields,
  findResponseName,
  isCertainly,
  issuedEndpointFields,
  paymentFields,
  requestFields,
} from "../../src/contract/responses.ts";
import { routes } from "../../src/contract/routes.ts";

type RouteName = keyof typeof routes;
const toName = (route: RouteName) => findResponseName(routes[route].endpoint) ?? "";

/** Of each route, the responses of its examples. */
const cases = Object.entries(operationExamples).map(
  ([name, examples]) =>
    [name as RouteName, Object.values(examples).map(({ response }) => response)] as const,
);

test("responses.json has the contract's schemas: npm run fix writes it", () => {
  expect(readFileSync(responsesFile, "utf8")).toBe(renderResponses());
});

test.for(cases)("a valid response of %s passes, and also with a new field", ([name, values]) => {
  expect(values).not.toEqual([]);
  for (const value of [...values, { ...values[0], added_later: 1 }]) {
    expect(isCertainly(toName(name), value)).toBe(true);
  }
});

test.each([
  ["PaymentList", { object: "list", url: "/v1/payments", data: [], has_more: false }],
  ["Payment", { ...paid, card: null, description: null }],
  ["Payment", { ...paid, card: { ...paid.card, brand: "of-tomorrow" } }],
  ["WebhookEndpoint", { ...operationExamples.createEndpoint.listener?.response, url: null }],
])("a %s passes with another valid value", (name, value) => {
  expect(isCertainly(name, value)).toBe(true);
});

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
  if (Array.isArray(value) && Number(name) > value.length) return value; // JSON has no holes
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as never;
  Object.assign(copy, { [name]: rest.length > 0 ? change(value[name as never], rest, to) : to });
  return copy;
}

test.for(cases)("no changed response of %s passes that the contract refuses", ([name, [value]]) => {
  const path = fc.constantFrom(...listPaths(value));
  const changes = fc.array(fc.tuple(path, anything), { minLength: 1, maxLength: 2 });
  const property = fc.property(changes, (made) => {
    const changed = made.reduce<unknown>((before, [at, to]) => change(before, at, to), value);
    return !isCertainly(toName(name), changed) || routes[name].response.safeParse(changed).success;
  });
  expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
});

test.for([null, undefined, "pay_1", 1, [], [paid]])("%j passes no check", (value) => {
  expect(cases.filter(([name]) => isCertainly(toName(name), value))).toEqual([]);
});

test("a name that there is not is no response", () => {
  expect(findResponseName("GET /sandbox/clock")).toBeUndefined();
  expect(isCertainly("Unknown", paid)).toBe(false);
});

const list = (length: number) => ({
  object: "list",
  url: "/v1/payments",
  data: Array.from({ length }, () => paid),
  has_more: false,
});

test("a page is no longer than the contract says", () => {
  expect([100, 101].map((length) => isCertainly("PaymentList", list(length)))).toEqual([
    true,
    false,
  ]);
});

test.for([
  ["payment", paymentFields, routes.getPayment],
  ["event", eventFields, routes.getEvent],
  ["endpoint", issuedEndpointFields, routes.createEndpoint],
  ["delivery", deliveryDetailsFields, routes.getDelivery],
  ["request", requestFields, routes.getRequest],
] as const)("the fields of a %s are those of the contract, in its order", ([, fields, route]) => {
  const first = [...new Set(fields.map((name) => name.split(".")[0]))];
  expect(first).toEqual(Object.keys(route.response.shape));
});

test("a field inside another is named with a point", () => {
  expect(paymentFields).toContain("card.last4");
  expect(eventFields).toContain("data.object.card.last4");
  expect(requestFields).toContain("key.name");
  expect(paymentFields).toContain("metadata");
});

test("an endpoint has its secret, and a delivery its tries, only where they are shown", () => {
  expect(issuedEndpointFields.filter((name) => !endpointFields.includes(name))).toEqual(["secret"]);
  expect(deliveryDetailsFields).toEqual([...deliveryFields, "tries"]);
});
