import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { routes, type Route } from "../../../src/contract/routes.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp, type Answer, type Call } from "../../testkit/app/open-app.ts";
import { errorIn } from "../../testkit/app/refusal-of.ts";

type Schema = Record<string, unknown>;
type Content = { content: { "application/json": { schema: Schema } } };
type Operation = {
  operationId: string;
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content & { description: string; headers?: Record<string, Schema> }>;
};

let failure: unknown;
const { call, close } = await openApp({
  store: (real) => ({
    ...real,
    findPayment: async (scope, id) => {
      if (failure !== undefined) throw failure;
      return real.findPayment(scope, id);
    },
  }),
});
afterAll(close);

const described = await call({ path: "/openapi.json", key: null });
const validator = new Validator();
const validity = await validator.validate(JSON.parse(described.text) as Schema);
const resolved = validator.resolveRefs() as { paths: Record<string, Record<string, Operation>> };

const get = (path: string): Call => ({ path });
const post = (path: string, body: object = {}): Call => ({ method: "POST", path, body });
const made = async (path: string, body: object) =>
  JSON.parse((await call(post(path, body))).text) as { id: string };

/** Makes an event; answers its path. */
async function eventAt(): Promise<string> {
  const { id } = await made(routes.createPayment.path, bodyWith({}));
  return `/v1/events/${id.replace("pay_", "evt_")}`;
}

test("every answer is described with the header by which it says that no money moves", () => {
  for (const route of Object.values(routes)) {
    for (const { headers } of Object.values(operationOf(route).responses))
      expect(headers?.["Service-Network"]?.["description"]).toMatch(/no money moves/);
  }
});

function operationOf({ path, method }: Route): Operation {
  const item = resolved.paths[path.replaceAll(/:(\w+)/g, "{$1}")];
  const operation = item?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

/** What is wrong with an answer by the description of its endpoint; nothing where it fits. */
function misfit(route: Route, answer: Answer): string | undefined {
  const response = operationOf(route).responses[answer.status];
  if (!response) return `${answer.status} is not described: ${answer.text}`;
  const { schema } = response.content["application/json"];
  const fit = z.fromJSONSchema(schema);
  const result = fit.safeParse(JSON.parse(answer.text));
  if (!result.success) return z.prettifyError(result.error);
  if (answer.status < 400 || response.description.includes(errorIn(answer).code)) return undefined;
  return `${errorIn(answer).code} is not described`;
}

test("the description needs no key, and is valid OpenAPI 3.1", () => {
  expect(described.status).toBe(200);
  expect(described.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(validity).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("every reference in it leads to something", () => {
  const references = [...described.text.matchAll(/"\$ref": "#([^"]*)"/g)];
  expect(references.length).toBeGreaterThan(4);
  for (const [, pointer = ""] of references) {
    const target = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((at, step) => (at as Schema)[step], JSON.parse(described.text));
    expect(target).toBeTypeOf("object");
  }
});

test("it describes every route of the contract, and no other", () => {
  const found = Object.entries(resolved.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
  );
  const expected = Object.entries<Route>(routes).map(
    ([name, { method, path }]) =>
      `${name}: ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(new Set(found)).toEqual(new Set(expected));
});

test("it names the parameters, the bodies that are required, and what they hold", () => {
  const names = (route: Route) => operationOf(route).parameters.map(({ name }) => name);
  expect(names(routes.listPayments)).toEqual([
    "Service-Version",
    "limit",
    "starting_after",
    "ending_before",
    "status",
    "created[gte]",
    "created[lt]",
  ]);
  expect(names(routes.createPayment)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.createHosted)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.getPayment)).toEqual(["id", "Service-Version"]);
  expect(names(routes.refundPayment)).toEqual(["id", "Service-Version", "Idempotency-Key"]);
  expect(names(routes.listEvents)).toEqual([
    "Service-Version",
    "limit",
    "starting_after",
    "ending_before",
    "type",
    "payment",
    "created[gte]",
    "created[lt]",
  ]);
  expect(names(routes.rollEndpoint)).toEqual(["id", "Service-Version", "Idempotency-Key"]);
  expect(names(routes.deleteEndpoint)).toEqual(["id", "Service-Version"]);
  expect(operationOf(routes.createPayment).requestBody?.required).toBe(true);
  expect(operationOf(routes.refundPayment).requestBody?.required).toBe(false);
  const { schema } =
    operationOf(routes.createPayment).requestBody?.content["application/json"] ?? {};
  expect(schema).toMatchObject({
    required: ["amount", "currency", "card"],
    additionalProperties: false,
    properties: { amount: { minimum: 1 }, metadata: {} },
  });
  const hosted = operationOf(routes.createHosted).requestBody?.content["application/json"];
  expect(hosted?.schema).toMatchObject({
    required: ["amount", "currency"],
    additionalProperties: false,
    properties: { return_url: { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] } },
  });
});

describe("what the service answers fits its description:", () => {
  const create: Call = { method: "POST", body: bodyWith({}) };
  const hosted: Call = { method: "POST", path: routes.createHosted.path };
  const hostedBody = { amount: 4999, currency: "eur", return_url: "https://shop.example" };
  const key = { "idempotency-key": "k" };
  const idOf = async (fields: object) => {
    const { text } = await call({ ...create, body: bodyWith(fields) });
    return (JSON.parse(text) as { id: string }).id;
  };
  const path = async (fields: object = {}) => `/v1/payments/${await idOf(fields)}`;
  const declined = { card: cardWith({ number: "4000000000000002" }) };
  const everything = {
    customer: { email: "ada@example.com", first_name: "Ada" },
    description: "ü",
    metadata: { a: "b" },
  };

  test.each<[string, Route, () => Promise<Call>]>([
    ["a payment", routes.createPayment, async () => create],
    [
      "a pending payment",
      routes.createPayment,
      async () => ({ ...create, body: bodyWith(declined) }),
    ],
    [
      "a full payment",
      routes.createPayment,
      async () => ({ ...create, body: bodyWith(everything) }),
    ],
    ["a hosted payment", routes.createHosted, async () => ({ ...hosted, body: hostedBody })],
    [
      "a full hosted payment",
      routes.createHosted,
      async () => ({ ...hosted, body: { ...hostedBody, ...everything } }),
    ],
    [
      "a wrong return_url",
      routes.createHosted,
      async () => ({ ...hosted, body: { ...hostedBody, return_url: "x" } }),
    ],
    ["a payment retrieved", routes.getPayment, async () => ({ path: await path(everything) })],
    [
      "a refund",
      routes.refundPayment,
      async () => ({ method: "POST", path: `${await path()}/refund` }),
    ],
    ["a list", routes.listPayments, async () => ({ path: "/v1/payments?limit=100" })],
    ["an empty list", routes.listPayments, async () => ({ key: "live" })],
    ["a missing key", routes.getPayment, async () => ({ key: null, path: "/v1/payments/x" })],
    ["a missing field", routes.createPayment, async () => ({ ...create, body: {} })],
    [
      "a wrong field",
      routes.createPayment,
      async () => ({ ...create, body: bodyWith({ amount: 0 }) }),
    ],
    [
      "an unknown field",
      routes.createPayment,
      async () => ({ ...create, body: bodyWith({ a: 1 }) }),
    ],
    ["an unknown parameter", routes.getPayment, async () => ({ path: "/v1/payments/x?a=1" })],
    ["a wrong parameter", routes.listPayments, async () => ({ path: "/v1/payments?limit=0" })],
    ["a wrong version", routes.listPayments, async () => ({ headers: { "service-version": "1" } })],
    ["an unknown payment", routes.getPayment, async () => ({ path: "/v1/payments/pay_x" })],
    [
      "an unknown payment to refund",
      routes.refundPayment,
      async () => ({ method: "POST", path: "/v1/payments/pay_x/refund" }),
    ],
    [
      "a payment that cannot be refunded",
      routes.refundPayment,
      async () => ({ method: "POST", path: `${await path(declined)}/refund` }),
    ],
    [
      "a body that is too large",
      routes.createPayment,
      async () => ({ ...create, body: "x".repeat(70_000) }),
    ],
    ["another type", routes.createPayment, async () => ({ ...create, type: "text/plain" })],
    [
      "no JSON",
      routes.refundPayment,
      async () => ({ method: "POST", path: `${await path()}/refund`, body: "[]" }),
    ],
    ["a new idempotency key", routes.createPayment, async () => ({ ...create, headers: key })],
    [
      "a reused idempotency key",
      routes.createPayment,
      async () => ({ ...create, headers: key, body: bodyWith({ amount: 1 }) }),
    ],
  ])("%s", async (_, route, request) => {
    expect(misfit(route, await call(await request()))).toBeUndefined();
  });

  test.each([
    ["a store that is away", new Unavailable("away"), 503],
    ["a fault", new Error("broken"), 500],
  ])("%s", async (_, error, status) => {
    failure = error;
    const answer = await call({ path: "/v1/payments/pay_x" });
    failure = undefined;
    expect(answer.status).toBe(status);
    expect(misfit(routes.getPayment, answer)).toBeUndefined();
  });
});

describe("what the service answers about events and endpoints fits its description:", () => {
  const endpoints = routes.createEndpoint.path;
  const url = "https://shop.example/hooks";
  /** The path of an endpoint that is there for one test, or of a listener. */
  const endpointAt = async (address: string | null = url) => {
    const path = `${endpoints}/${(await made(endpoints, { url: address })).id}`;
    onTestFinished(async () => void (await call({ method: "DELETE", path })));
    return path;
  };
  const listenerAt = async () => endpointAt(null);
  const report = async (fields: object) => {
    const path = await listenerAt();
    await eventAt();
    const { text } = await call(post(`${path}/take`));
    const [taken] = (JSON.parse(text) as { data: { id: string }[] }).data;
    return post(`${path}/report`, { delivery: taken?.id, delivered: false, ...fields });
  };

  test.each<[string, Route, number, () => Promise<Call>]>([
    ["an event", routes.getEvent, 200, async () => get(await eventAt())],
    ["an unknown event", routes.getEvent, 404, async () => get("/v1/events/evt_x")],
    ["events", routes.listEvents, 200, async () => get(routes.listEvents.path)],
    ["a wrong type", routes.listEvents, 400, async () => get(`${routes.listEvents.path}?type=x`)],
    [
      "an event sent again",
      routes.resendEvent,
      200,
      async () => {
        await endpointAt();
        return post(`${await eventAt()}/resend`);
      },
    ],
    [
      "an event sent again to nobody",
      routes.resendEvent,
      404,
      async () => post(`${await eventAt()}/resend`, { endpoint: "we_x" }),
    ],
    ["an endpoint", routes.createEndpoint, 201, async () => post(endpoints, { url })],
    ["an endpoint without url", routes.createEndpoint, 400, async () => post(endpoints)],
    ["endpoints", routes.listEndpoints, 200, async () => get(endpoints)],
    ["an endpoint retrieved", routes.getEndpoint, 200, async () => get(await endpointAt())],
    ["an unknown endpoint", routes.getEndpoint, 404, async () => get(`${endpoints}/we_x`)],
    [
      "an endpoint disabled",
      routes.updateEndpoint,
      200,
      async () => post(await endpointAt(), { status: "disabled" }),
    ],
    [
      "a wrong status",
      routes.updateEndpoint,
      400,
      async () => post(await endpointAt(), { status: "x" }),
    ],
    ["a new secret", routes.rollEndpoint, 200, async () => post(`${await endpointAt()}/roll`)],
    [
      "an endpoint deleted",
      routes.deleteEndpoint,
      200,
      async () => ({ method: "DELETE", path: await endpointAt() }),
    ],
    [
      "deliveries",
      routes.listDeliveries,
      200,
      async () => {
        const path = await endpointAt();
        await eventAt();
        return get(`${path}/deliveries`);
      },
    ],
    [
      "a listener started",
      routes.startListener,
      200,
      async () => post(`${await listenerAt()}/start`, { only_new: true }),
    ],
    [
      "an endpoint with an address started",
      routes.startListener,
      400,
      async () => post(`${await endpointAt()}/start`),
    ],
    [
      "what a listener takes",
      routes.takeDeliveries,
      200,
      async () => {
        const path = await listenerAt();
        await eventAt();
        return post(`${path}/take`);
      },
    ],
    ["nothing to take", routes.takeDeliveries, 200, async () => post(`${await listenerAt()}/take`)],
    ["a delivery reported", routes.reportDelivery, 200, async () => report({ last_status: 500 })],
    ["an unknown delivery", routes.reportDelivery, 404, async () => report({ delivery: "del_x" })],
  ])("%s", async (_, route, status, request) => {
    const answer = await call(await request());
    expect([answer.status, misfit(route, answer)]).toEqual([status, undefined]);
  });
});
