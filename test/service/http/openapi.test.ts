import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { limitRate } from "../../../src/service/http/request-guards.ts";
import { eventTypes } from "../../../src/contract/field-values.ts";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { type Call, openAppForTest, openAppThatMayFail } from "../../testkit/app/open-app.ts";
import {
  documentText,
  findMismatch,
  findOperation,
  resolvedDocument,
  validity,
  type Schema,
} from "../../testkit/app/openapi-document.ts";

const { call, close, failWith } = await openAppThatMayFail({
  app: { limitRate: limitRate(1_000_000) }, // so that the headers of limits are in the responses
});
afterAll(close);

const get = (path: string): Call => ({ path });
const post = (path: string, body: object = {}): Call => ({ method: "POST", path, body });
const create = async (path: string, body: object) =>
  JSON.parse((await call(post(path, body))).text) as { id: string };

/** Returns the path of a new event. */
async function createEvent(): Promise<string> {
  const { id } = await create(routes.createPayment.path, bodyWith({}));
  return `/v1/events/${id.replace("pay_", "evt_")}`;
}

const names = (route: Route) => findOperation(route).parameters.map(({ name }) => name);

/** The responses that are described with a header, such as `getPayment 200`. */
const describedWith = (header: string) =>
  Object.values(routes).flatMap((route) =>
    Object.entries(findOperation(route).responses)
      .filter(([, { headers }]) => header in headers)
      .map(([status]) => `${findOperation(route).operationId} ${status}`),
  );

test("the description needs no key, and has the bytes of docs/openapi.json", async () => {
  const local = await openAppForTest({ app: { publicUrl: () => "http://127.0.0.1:8402" } });
  const served = await local.call({ path: "/openapi.json", key: null });
  expect(served.status).toBe(200);
  expect(served.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(served.text).toBe(documentText);
});

test("it names the address of the service that returned it, and is the same otherwise", async () => {
  const other = await openAppForTest({
    dashboard: {},
    app: { docsUrl: () => "https://other.test/docs/errors", publicUrl: () => "https://other.test" },
  });
  const served = await other.call({ path: "/openapi.json", key: null });
  const { servers, ...rest } = JSON.parse(served.text) as Schema;
  expect(servers).toMatchObject([{ url: "https://other.test" }]);
  expect({ ...rest, servers: [] }).toEqual({
    ...(JSON.parse(documentText) as Schema),
    servers: [],
  });
});

test("no example stands in the way of another: each idempotency key is there once, and none is live", () => {
  const keys = Object.values(routes).flatMap((route) =>
    findOperation(route).parameters.flatMap(({ name, example }) =>
      name === "Idempotency-Key" ? String(example) : [],
    ),
  );
  expect(keys).toHaveLength(10);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys)
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-/);
  expect(documentText).not.toContain('"livemode": true');
});

describe("a schema", () => {
  const { schemas } = (
    JSON.parse(documentText) as { components: { schemas: Record<string, Schema> } }
  ).components;
  const requests = Object.values(routes).flatMap((route) => {
    const operation = (JSON.parse(documentText) as Record<string, Record<string, Schema>>)[
      "paths"
    ]?.[route.path.replaceAll(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()] as
      | { requestBody?: { content: Schema } }
      | undefined;
    const found = /schemas\/(\w+)/.exec(JSON.stringify(operation?.requestBody ?? ""));
    return found?.[1] ?? [];
  });
  const each = Object.entries(schemas).filter(([name]) => !requests.includes(name));

  test("of a response is open, since it may gain fields, and one of a request is closed", () => {
    expect(new Set(requests).size).toBe(12);
    for (const name of requests)
      expect(schemas[name]).toMatchObject({ additionalProperties: false });
    expect(JSON.stringify(each)).not.toContain('"additionalProperties":false');
  });

  test("has no enumeration with null in it, and no bound that says nothing", () => {
    expect(documentText).not.toMatch(/"enum": \[[^\]]*null/);
    expect(documentText).not.toContain("-9007199254740991");
    expect(schemas["UpdateWebhookEndpoint"]?.["properties"]).toMatchObject({
      status: { anyOf: [{ type: "string", enum: ["enabled", "disabled"] }, { type: "null" }] },
    });
  });

  test("has 64 bits for amounts, sums and times alone", () => {
    const wide = [...documentText.matchAll(/"(\w+)": \{[^{}]*"format": "int64"/g)].map(
      ([, name]) => name,
    );
    expect(new Set(wide)).toEqual(
      new Set([
        "amount",
        "at",
        "max_refund",
        "gross",
        "refunds",
        "net",
        "created",
        "since",
        "next_attempt_at",
        "last_success_at",
        "failing_since",
        "refunded_at",
        "succeeded_at",
        "failed_at",
        "schema",
      ]),
    );
    const row = JSON.stringify(schemas["PaymentsReport"]);
    for (const sum of ["gross", "refunds", "net"])
      expect(row).toMatch(new RegExp(`"${sum}":\\{[^{}]*"type":"integer"`));
  });

  test("tells the types of events that are known, and takes others", () => {
    for (const { properties } of [schemas["Event"], schemas["Delivery"]] as Schema[]) {
      const { type } = properties as { type: Schema };
      expect(type).toMatchObject({ type: "string", examples: eventTypes });
      expect(type).not.toHaveProperty("enum");
    }
  });

  test.each([
    ["return_url", "https://shop.example/thanks?a=b#c", true],
    ["return_url", "HTTP://[::1]:8080", true],
    ["return_url", "https://ada@shop.example", false],
    ["return_url", "https://ada:secret@shop.example/", false],
    ["return_url", "ftp://shop.example", false],
    ["return_url", "https://shop.example/a b", false],
  ])("says of %s what the service does: %s", async (name, value, isTaken) => {
    const body = { amount: 1, currency: "eur", [name]: value };
    const { schema } =
      findOperation(routes.createHosted).requestBody?.content["application/json"] ?? {};
    const { pattern } =
      ((schema?.["properties"] ?? {}) as Record<string, { pattern: string }>)[name] ?? {};
    expect(new RegExp(pattern ?? "").test(value)).toBe(isTaken);
    const answer = await call(post("/v1/payments/hpp", body));
    expect(answer.status).toBe(isTaken ? 201 : 400);
  });

  test.each([
    ["1970-01-01", "1970-01-02", true],
    ["1969-12-31", "1970-01-02", false],
    ["2026-01-01", "2026-01-01", false],
    ["2025-01-01", "2026-02-05", true],
    ["2025-01-01", "2026-02-06", false],
  ])("of a report says which days it takes: %s to %s", async (from, to, isTaken) => {
    const answer = await call({ path: `/v1/reports/payments?from=${from}&to=${to}` });
    expect(answer.status).toBe(isTaken ? 200 : 400);
    const { schema, description } =
      findOperation(routes.reportPayments).parameters.find(
        (parameter) => parameter.name === "from",
      ) ?? {};
    expect(new RegExp(String(schema?.["pattern"])).test(from)).toBe(from >= "1970");
    expect(description).toContain("1970");
  });
});

test("it is valid OpenAPI 3.1", () => {
  expect(validity).toEqual({ valid: true, version: "3.1" });
});

test("only the responses to some requests are described with a header of their own", () => {
  expect(describedWith("Payment-Progress")).toEqual(["getPayment 200"]);
  expect(describedWith("Idempotent-Replayed").join(", ")).toBe(
    "createPayment 201, createHosted 201, refundPayment 200, cancelPayment 200, resendEvent 200, createEndpoint 201, updateEndpoint 200, rollEndpoint 200, recoverEndpoint 200, testEndpoint 200",
  );
  for (const status of ["429", "503"])
    expect(describedWith("Retry-After")).toContain(`listPayments ${status}`);
  expect(new Set(describedWith("WWW-Authenticate").map((each) => each.slice(-3)))).toEqual(
    new Set(["401"]),
  );
});

test("every field and every parameter says what it is", () => {
  const { components } = JSON.parse(documentText) as { components: { schemas: object } };
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { properties, ...rest } = value as { properties?: Record<string, Schema> };
    for (const [name, property] of Object.entries(properties ?? {})) {
      if (!("description" in property || "$ref" in property)) found.push(`${path}.${name}`);
      look(property, `${path}.${name}`);
    }
    for (const [name, part] of Object.entries(rest)) look(part, `${path}.${name}`);
  };
  look(components.schemas, "");
  for (const { operationId, parameters } of Object.values(routes).map(findOperation))
    for (const { name, description, example } of parameters)
      if (!description || example === undefined) found.push(`${operationId} ${name}`);
  expect(found).toEqual([]);
});

test("every reference in it resolves", () => {
  const references = [...documentText.matchAll(/"\$ref": "#([^"]*)"/g)];
  expect(references.length).toBeGreaterThan(4);
  const described = JSON.parse(documentText) as unknown;
  for (const [, pointer = ""] of references) {
    const target = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((at, step) => (at as Schema)[step], described);
    expect(target).toBeTypeOf("object");
  }
});

test("it describes exactly the routes of the contract", () => {
  const found = Object.entries(resolvedDocument.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
  );
  const expected = Object.entries<Route>(routes).map(
    ([name, { method, path }]) =>
      `${name}: ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(new Set(found)).toEqual(new Set(expected));
});

test("it describes the parameters, and the required bodies with their fields", () => {
  expect(names(routes.listPayments).join(" ")).toBe(
    "Service-Version limit starting_after ending_before status created[gte] created[lt] customer[email] card[last4] card[brand] amount currency decline_code search metadata",
  );
  expect(names(routes.createPayment)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.createHosted)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.getPayment)).toEqual(["id", "Service-Version"]);
  expect(names(routes.refundPayment)).toEqual([
    "id",
    "Service-Version",
    "Idempotency-Key",
    "Service-Reason",
  ]);
  expect(names(routes.listEvents).join(" ")).toBe(
    "Service-Version limit starting_after ending_before type payment created[gte] created[lt]",
  );
  expect(names(routes.rollEndpoint)).toEqual(["id", "Service-Version", "Idempotency-Key"]);
  expect(names(routes.deleteEndpoint)).toEqual(["id", "Service-Version"]);
  expect(names(routes.takeDeliveries)).toEqual(["id", "Service-Version"]);
  expect(findOperation(routes.createPayment).requestBody?.required).toBe(true);
  expect(findOperation(routes.resendEvent).requestBody?.required).toBe(false);
  for (const route of [routes.refundPayment, routes.cancelPayment, routes.testEndpoint])
    expect(findOperation(route).requestBody).toMatchObject({
      required: false,
      content: { "application/json": { schema: { maxProperties: 0 } } },
    });
  const { schema } =
    findOperation(routes.createPayment).requestBody?.content["application/json"] ?? {};
  expect(schema).toMatchObject({
    required: ["amount", "currency", "card"],
    additionalProperties: false,
    properties: { amount: { minimum: 1, format: "int64" }, metadata: {} },
  });
  const hosted = findOperation(routes.createHosted).requestBody?.content["application/json"];
  expect(hosted?.schema).toMatchObject({
    required: ["amount", "currency"],
    additionalProperties: false,
    properties: { return_url: { type: ["string", "null"], format: "uri" } },
  });
});

// Responses that openapi-examples.test.ts does not get: states without an example, and errors.
describe("a response matches its description:", () => {
  const hosted = { amount: 4999, currency: "eur", return_url: "https://shop.example" };
  const declined = { card: cardWith({ number: "4000000000000002" }) };
  const everything = {
    customer: { email: "ada@example.com", first_name: "Ada" },
    description: "ü",
    metadata: { a: "b" },
  };
  const payments = routes.createPayment.path;
  const endpoints = routes.createEndpoint.path;
  const url = "https://shop.example/hooks";
  const paid = async (fields: object = {}) =>
    `${payments}/${(await create(payments, bodyWith(fields))).id}`;
  /** The path of an endpoint for one test, or of a listener. */
  const createEndpoint = async (address: string | null = url) => {
    const path = `${endpoints}/${(await create(endpoints, { url: address })).id}`;
    onTestFinished(async () => void (await call({ method: "DELETE", path })));
    return path;
  };
  const createWithEvent = async (address: string | null = url) => {
    const path = await createEndpoint(address);
    await createEvent();
    return path;
  };
  const onEndpoint =
    (action: string, body: object = {}, address: string | null = url) =>
    async () =>
      post((await createEndpoint(address)) + action, body);
  const resend =
    (body: object = {}) =>
    async () => {
      await createEndpoint();
      return post(`${await createEvent()}/resend`, body);
    };
  const report = async (fields: object) => {
    const path = await createWithEvent(null);
    const { text } = await call(post(`${path}/take`));
    const [delivery] = (JSON.parse(text) as { data: { id: string }[] }).data;
    return post(`${path}/report`, { delivery: delivery?.id, delivered: false, ...fields });
  };

  const onDeliveries = (more: string) => async () =>
    get(`${await createEndpoint()}/deliveries${more}`);
  type Request = Call | (() => Promise<Call>);
  test.each<[keyof typeof routes, number, string, Request]>([
    ["createPayment", 201, "full", post(payments, bodyWith(everything))],
    ["createPayment", 400, "a missing field", post(payments)],
    ["createPayment", 400, "an unknown field", post(payments, bodyWith({ a: 1 }))],
    ["createPayment", 413, "too large", { method: "POST", body: "x".repeat(70_000) }],
    ["createPayment", 415, "no JSON", { method: "POST", body: "x", type: "text/plain" }],
    ["createHosted", 400, "a wrong URL", post(`${payments}/hpp`, { ...hosted, return_url: "x" })],
    ["getPayment", 200, "full", async () => get(await paid(everything))],
    ["getPayment", 401, "no key", { key: null, path: `${payments}/x` }],
    ["getPayment", 404, "unknown", get(`${payments}/pay_x`)],
    ["refundPayment", 404, "unknown", post(`${payments}/pay_x/refund`)],
    ["refundPayment", 422, "pending", async () => post(`${await paid(declined)}/refund`)],
    ["listPayments", 200, "some", get(`${payments}?limit=100`)],
    ["listPayments", 200, "none", { key: "live" }],
    ["listPayments", 400, "a wrong limit", get(`${payments}?limit=0`)],
    ["reportPayments", 200, "none", { key: "live", path: "/v1/reports/payments?by=month" }],
    [
      "reportPayments",
      400,
      "an empty range",
      get("/v1/reports/payments?to=2026-01-01&from=2026-01-01"),
    ],
    ["getHistory", 404, "unknown", get("/v1/payments/del_x/history")],
    ["getEvent", 404, "unknown", get("/v1/events/evt_x")],
    ["listEvents", 400, "a wrong type", get("/v1/events?type=x")],
    ["getRequest", 404, "unknown", get("/v1/requests/req_x")],
    ["listRequests", 400, "a wrong status", get("/v1/requests?status=x")],
    ["resendEvent", 404, "to none", resend({ endpoint: "we_x" })],
    ["createEndpoint", 400, "without url", post(endpoints)],
    ["getEndpoint", 404, "unknown", get(`${endpoints}/we_x`)],
    ["updateEndpoint", 400, "a wrong status", onEndpoint("", { status: "x" })],
    ["listDeliveries", 400, "a wrong status", onDeliveries("?status=x")],
    ["listAllDeliveries", 400, "of nothing", get("/v1/deliveries")],
    ["listAllDeliveries", 404, "unknown", get("/v1/deliveries?event=evt_x")],
    ["getDelivery", 404, "unknown", onDeliveries("/del_x")],
    ["recoverEndpoint", 200, "none", onEndpoint("/recover", { since: 0 })],
    ["recoverEndpoint", 400, "without since", onEndpoint("/recover")],
    ["testEndpoint", 200, "no answer", onEndpoint("/test")],
    ["testEndpoint", 400, "a listener", onEndpoint("/test", {}, null)],
    ["startListener", 400, "not a listener", onEndpoint("/start")],
    ["takeDeliveries", 200, "none", onEndpoint("/take", {}, null)],
    ["reportDelivery", 404, "unknown", async () => report({ delivery: "del_x" })],
  ])("%s %i: %s", async (name, status, _, request) => {
    const answer = await call(typeof request === "function" ? await request() : request);
    expect([answer.status, findMismatch(routes[name], answer)]).toEqual([status, undefined]);
  });

  test("createPayment 201 and 409: a key that was used for the same request, and for another", async () => {
    const headers = { "idempotency-key": "k" };
    const request = { ...post(payments, bodyWith({})), headers };
    await call(request);
    const replayed = await call(request);
    expect(replayed.headers["idempotent-replayed"]).toBe("true");
    expect([replayed.status, findMismatch(routes.createPayment, replayed)]).toEqual([
      201,
      undefined,
    ]);
    const answer = await call({ ...post(payments, bodyWith({ amount: 1 })), headers });
    expect([answer.status, findMismatch(routes.createPayment, answer)]).toEqual([409, undefined]);
  });

  test("listPayments 429: the key has made too many requests", async () => {
    const limited = await openAppForTest({ app: { limitRate: limitRate(0) } });
    const answer = await limited.call({});
    expect([answer.status, findMismatch(routes.listPayments, answer)]).toEqual([429, undefined]);
  });

  test.each([
    [503, new Unavailable("away")],
    [500, new Error("broken")],
  ])("getPayment %i: the store fails", async (status, error) => {
    const answer = await failWith(error);
    expect([answer.status, findMismatch(routes.getPayment, answer)]).toEqual([status, undefined]);
  });
});
