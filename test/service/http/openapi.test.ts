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
const { call, close, service } = await openApp({
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
const create = async (path: string, body: object) =>
  JSON.parse((await call(post(path, body))).text) as { id: string };

/** Returns the path of a new event. */
async function createEvent(): Promise<string> {
  const { id } = await create(routes.createPayment.path, bodyWith({}));
  return `/v1/events/${id.replace("pay_", "evt_")}`;
}

/** Makes a request that is refused; returns its id once it is logged. */
async function makeRefused(): Promise<string> {
  const { headers } = await call({ path: "/v1/payments/pay_x" });
  await service.flushRequests();
  return headers["service-request-id"] ?? "";
}

test("every response is described with the header Service-Network", () => {
  for (const route of Object.values(routes)) {
    for (const { headers } of Object.values(findOperation(route).responses))
      expect(headers?.["Service-Network"]?.["description"]).toMatch(/no money moves/);
  }
});

test("only a payment that is retrieved is described with the header Payment-Progress", () => {
  const found = Object.values(routes).flatMap((route) =>
    Object.entries(findOperation(route).responses)
      .filter(([, { headers }]) => headers && "Payment-Progress" in headers)
      .map(([status]) => `${route.method} ${route.path} ${status}`),
  );
  expect(found).toEqual(["GET /v1/payments/:id 200"]);
  const { headers } = findOperation(routes.getPayment).responses["200"] ?? {};
  expect(headers?.["Payment-Progress"]).toEqual({
    description: expect.stringMatching(/the bank, which asks for a confirmation/) as unknown,
    schema: { type: "string", enum: ["at_bank"] },
  });
});

function findOperation({ path, method }: Route): Operation {
  const item = resolved.paths[path.replaceAll(/:(\w+)/g, "{$1}")];
  const operation = item?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

/** The difference between a response and the description of its endpoint. */
function findMismatch(route: Route, answer: Answer): string | undefined {
  const response = findOperation(route).responses[answer.status];
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

test("every reference in it resolves", () => {
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

test("it describes exactly the routes of the contract", () => {
  const found = Object.entries(resolved.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
  );
  const expected = Object.entries<Route>(routes).map(
    ([name, { method, path }]) =>
      `${name}: ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(new Set(found)).toEqual(new Set(expected));
});

test("it describes the parameters, and the required bodies with their fields", () => {
  const names = (route: Route) => findOperation(route).parameters.map(({ name }) => name);
  expect(names(routes.listPayments).join(" ")).toBe(
    "Service-Version limit starting_after ending_before status created[gte] created[lt] customer[email] card[last4] card[brand] amount currency decline_code search metadata",
  );
  expect(names(routes.createPayment)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.createHosted)).toEqual(["Service-Version", "Idempotency-Key"]);
  expect(names(routes.getPayment)).toEqual(["id", "Service-Version"]);
  expect(names(routes.refundPayment)).toEqual(["id", "Service-Version", "Idempotency-Key"]);
  expect(names(routes.listEvents).join(" ")).toBe(
    "Service-Version limit starting_after ending_before type payment created[gte] created[lt]",
  );
  expect(names(routes.rollEndpoint)).toEqual(["id", "Service-Version", "Idempotency-Key"]);
  expect(names(routes.deleteEndpoint)).toEqual(["id", "Service-Version"]);
  expect(findOperation(routes.createPayment).requestBody?.required).toBe(true);
  expect(findOperation(routes.refundPayment).requestBody?.required).toBe(false);
  const { schema } =
    findOperation(routes.createPayment).requestBody?.content["application/json"] ?? {};
  expect(schema).toMatchObject({
    required: ["amount", "currency", "card"],
    additionalProperties: false,
    properties: { amount: { minimum: 1 }, metadata: {} },
  });
  const hosted = findOperation(routes.createHosted).requestBody?.content["application/json"];
  expect(hosted?.schema).toMatchObject({
    required: ["amount", "currency"],
    additionalProperties: false,
    properties: { return_url: { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] } },
  });
});

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
  /** The path of a delivery that was tried once. */
  const tryOnce = async () => {
    const { path = "", body } = await report({
      last_status: 500,
      duration_ms: 12,
      answer: "Sorry",
    });
    await call(post(path, body as object));
    return path.replace(/report$/, `deliveries/${(body as { delivery: string }).delivery}`);
  };

  type Request = Call | (() => Promise<Call>);
  test.each<[keyof typeof routes, number, string, Request]>([
    ["createPayment", 201, "succeeded", post(payments, bodyWith({}))],
    ["createPayment", 201, "pending", post(payments, bodyWith(declined))],
    ["createPayment", 201, "full", post(payments, bodyWith(everything))],
    ["createPayment", 400, "a missing field", post(payments)],
    ["createPayment", 400, "an unknown field", post(payments, bodyWith({ a: 1 }))],
    ["createPayment", 413, "too large", { method: "POST", body: "x".repeat(70_000) }],
    ["createPayment", 415, "no JSON", { method: "POST", body: "x", type: "text/plain" }],
    ["createHosted", 201, "full", post(`${payments}/hpp`, { ...hosted, ...everything })],
    ["createHosted", 400, "a wrong URL", post(`${payments}/hpp`, { ...hosted, return_url: "x" })],
    ["getPayment", 200, "full", async () => get(await paid(everything))],
    ["getPayment", 401, "no key", { key: null, path: `${payments}/x` }],
    ["getPayment", 404, "unknown", get(`${payments}/pay_x`)],
    ["refundPayment", 200, "refunded", async () => post(`${await paid()}/refund`)],
    ["refundPayment", 404, "unknown", post(`${payments}/pay_x/refund`)],
    ["refundPayment", 422, "pending", async () => post(`${await paid(declined)}/refund`)],
    ["listPayments", 200, "some", get(`${payments}?limit=100`)],
    ["listPayments", 200, "none", { key: "live" }],
    ["listPayments", 400, "a wrong limit", get(`${payments}?limit=0`)],
    ["getAccount", 200, "the key's", get("/v1/account")],
    ["reportPayments", 200, "some", get("/v1/reports/payments")],
    ["reportPayments", 200, "none", { key: "live", path: "/v1/reports/payments?by=month" }],
    [
      "reportPayments",
      400,
      "an empty range",
      get("/v1/reports/payments?to=2026-01-01&from=2026-01-01"),
    ],
    ["getEvent", 200, "a payment's", async () => get(await createEvent())],
    ["getEvent", 404, "unknown", get("/v1/events/evt_x")],
    ["listEvents", 200, "all", get("/v1/events")],
    ["listEvents", 400, "a wrong type", get("/v1/events?type=x")],
    ["getRequest", 200, "refused", async () => get(`/v1/requests/${await makeRefused()}`)],
    ["getRequest", 404, "unknown", get("/v1/requests/req_x")],
    ["listRequests", 200, "all", get("/v1/requests?limit=100")],
    ["listRequests", 400, "a wrong status", get("/v1/requests?status=x")],
    ["resendEvent", 200, "to all", resend()],
    ["resendEvent", 404, "to none", resend({ endpoint: "we_x" })],
    ["createEndpoint", 201, "created", post(endpoints, { url })],
    ["createEndpoint", 400, "without url", post(endpoints)],
    ["listEndpoints", 200, "all", get(endpoints)],
    ["getEndpoint", 200, "retrieved", async () => get(await createEndpoint())],
    ["getEndpoint", 404, "unknown", get(`${endpoints}/we_x`)],
    ["updateEndpoint", 200, "disabled", onEndpoint("", { status: "disabled" })],
    ["updateEndpoint", 400, "a wrong status", onEndpoint("", { status: "x" })],
    ["rollEndpoint", 200, "a new secret", onEndpoint("/roll")],
    [
      "deleteEndpoint",
      200,
      "deleted",
      async () => ({ ...(await onEndpoint("")()), method: "DELETE" }),
    ],
    ["listDeliveries", 200, "some", async () => get(`${await createWithEvent()}/deliveries`)],
    ["listDeliveries", 400, "a wrong status", onDeliveries("?status=x")],
    ["getDelivery", 200, "one", async () => get(await tryOnce())],
    ["getDelivery", 404, "unknown", onDeliveries("/del_x")],
    ["recoverEndpoint", 200, "none", onEndpoint("/recover", { since: 0 })],
    ["recoverEndpoint", 400, "without since", onEndpoint("/recover")],
    ["testEndpoint", 200, "no answer", onEndpoint("/test")],
    ["testEndpoint", 400, "a listener", onEndpoint("/test", {}, null)],
    ["startListener", 200, "started", onEndpoint("/start", { only_new: true }, null)],
    ["startListener", 400, "not a listener", onEndpoint("/start")],
    ["takeDeliveries", 200, "one", async () => post(`${await createWithEvent(null)}/take`)],
    ["takeDeliveries", 200, "none", onEndpoint("/take", {}, null)],
    ["reportDelivery", 200, "reported", async () => report({ last_status: 500 })],
    ["reportDelivery", 404, "unknown", async () => report({ delivery: "del_x" })],
  ])("%s %i: %s", async (name, status, _, request) => {
    const answer = await call(typeof request === "function" ? await request() : request);
    expect([answer.status, findMismatch(routes[name], answer)]).toEqual([status, undefined]);
  });

  test("createPayment 409: an idempotency key that was used for another request", async () => {
    const headers = { "idempotency-key": "k" };
    await call({ ...post(payments, bodyWith({})), headers });
    const answer = await call({ ...post(payments, bodyWith({ amount: 1 })), headers });
    expect([answer.status, findMismatch(routes.createPayment, answer)]).toEqual([409, undefined]);
  });

  test.each([
    [503, new Unavailable("away")],
    [500, new Error("broken")],
  ])("getPayment %i: the store fails", async (status, error) => {
    failure = error;
    const answer = await call(get("/v1/payments/pay_x"));
    failure = undefined;
    expect([answer.status, findMismatch(routes.getPayment, answer)]).toEqual([status, undefined]);
  });
});
