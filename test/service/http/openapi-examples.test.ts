import { afterAll, expect, test } from "vitest";
import { signWebhook } from "../../../src/runtime/sign-webhook.ts";
import type { Event } from "../../../src/contract/event.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import {
  findMismatch,
  findOperation,
  findSchemaMistake,
  resolvedDocument,
  type Examples,
  type Schema,
} from "../../testkit/app/openapi-document.ts";

// Each example of the API's description is sent, and each response compared with the described one.

type RouteName = keyof typeof routes;
/** The ids in a shop that its examples are about, by their prefix. */
type Ids = Record<string, string>;

const { call, service, close } = await openApp({
  sender: {
    send: async () => ({ outcome: "delivered", status: 200, error: null, answer: "ok" }),
  },
});
afterAll(close);

const examplesOf = (name: RouteName, part: "requestBody" | "response"): Examples => {
  const { requestBody, responses } = findOperation(routes[name]);
  const content = part === "requestBody" ? requestBody : responses[routes[name].status];
  return content?.content["application/json"].examples ?? {};
};

/** An account of its own, in test mode, with its key. */
async function openShop() {
  const { id: account } = await service.createAccount({ name: "Books & Co" });
  const { key } = await service.createKey({ account, mode: "test", name: "shop" });
  const ids: Ids = {};
  /** The ids of the examples stand for those of the shop. */
  const translate = (text: string) =>
    text.replaceAll(/\b(pay|evt|we|del|req)_[\w-]+/g, (id, prefix: string) => ids[prefix] ?? id);

  async function send(name: RouteName, body?: unknown, { query = "", headers = {} } = {}) {
    const { method, path }: Route = routes[name];
    const parameters = findOperation(routes[name]).parameters.filter((each) => each.in === "path");
    const filled = path.replaceAll(/:(\w+)/g, (_, id) =>
      String(parameters.find((each) => each.name === id)?.example),
    );
    const answer = await call({
      method,
      path: translate(filled + query),
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body: translate(JSON.stringify(body)) }),
    });
    return answer;
  }

  /** Sends an example that leads to what another one is about, and keeps the ids of its response. */
  async function make(name: RouteName, example: string) {
    const answer = await send(name, examplesOf(name, "requestBody")[example]?.value);
    expect(answer.status).toBe(routes[name].status);
    for (const [id, prefix = ""] of answer.text.matchAll(/\b(pay|evt|we|del)_[\w-]+/g)) {
      ids[prefix] = id;
    }
  }

  return { ids, make, send };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

const makePayment = async ({ make, ids }: Shop) => {
  await make("createPayment", "succeeded");
  ids["evt"] = String(ids["pay"]).replace("pay_", "evt_");
};
const makeEndpoint = async ({ make }: Shop) => make("createEndpoint", "endpoint");
const makeListener = async ({ make }: Shop) => make("createEndpoint", "listener");
const makeDelivery = async (shop: Shop) => {
  await makeListener(shop);
  await makePayment(shop);
};
const takeDelivery = async (shop: Shop) => {
  await makeDelivery(shop);
  await shop.make("takeDeliveries", "taken");
};
const makeRefused = async ({ send, ids }: Shop) => {
  ids["req"] = (await send("getPayment")).headers["service-request-id"] ?? "";
  await service.flushRequests();
};

/** The state of a shop before an example is sent. */
const given: { [Name in RouteName]?: (shop: Shop) => Promise<void> } = {
  listPayments: makePayment,
  getPayment: makePayment,
  refundPayment: makePayment,
  cancelPayment: async ({ make }) => make("createHosted", "page"),
  reportPayments: async (shop) => {
    await makePayment(shop);
    await shop.send("refundPayment");
  },
  listEvents: makePayment,
  getEvent: makePayment,
  resendEvent: async (shop) => {
    await makeEndpoint(shop);
    await makePayment(shop);
  },
  listEndpoints: makeEndpoint,
  getEndpoint: makeEndpoint,
  updateEndpoint: makeEndpoint,
  rollEndpoint: makeEndpoint,
  deleteEndpoint: makeEndpoint,
  listDeliveries: async (shop) => {
    await makeEndpoint(shop);
    await makePayment(shop);
    await shop.make("listDeliveries", "");
  },
  getDelivery: async (shop) => {
    await takeDelivery(shop);
    await shop.make("reportDelivery", "failed");
  },
  recoverEndpoint: async (shop) => {
    await makeEndpoint(shop);
    await shop.make("updateEndpoint", "disabled");
    await makePayment(shop);
    await shop.send("updateEndpoint", { status: "enabled" });
  },
  testEndpoint: makeEndpoint,
  startListener: makeListener,
  takeDeliveries: makeDelivery,
  reportDelivery: takeDelivery,
  listRequests: makeRefused,
  getRequest: makeRefused,
};

/** The same of every shop: without the ids, times, secrets and addresses that differ. */
function blur(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => blur(each));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, blur(part, key)]));
  if (typeof value === "number") return value > 1e9 || name === "duration_ms" ? "a number" : value;
  if (typeof value !== "string") return value;
  return value
    .replaceAll(/\b(pay|evt|we|del|req|acct|key)_[\w-]+/g, "$1_…")
    .replaceAll(/whsec_[\w+/=]+/g, "whsec_…")
    .replaceAll(/^https?:.*\/pay\/\w+$/g, "/pay/…")
    .replaceAll(/^\d{4}-\d{2}(-\d{2})?$/g, "a day");
}

/** A report has a row for each month, so that it is asked for all of them. */
const queries: { [Name in RouteName]?: string } = {
  reportPayments: "?from=2020-01-01&to=2050-01-01&by=month",
};

const all = Object.keys(routes) as RouteName[];

test.each(
  all.flatMap((name) =>
    Object.keys(examplesOf(name, "response")).map((each) => [name, each] as const),
  ),
)("%s: the example %s is answered as it is described", async (name, example) => {
  const shop = await openShop();
  await given[name]?.(shop);
  const { parameters } = findOperation(routes[name]);
  const headers = Object.fromEntries(
    parameters.filter((each) => each.in === "header").map((each) => [each.name, each.example]),
  ) as Record<string, string>;
  const query = queries[name] ?? "";
  const body = examplesOf(name, "requestBody")[example]?.value;
  const answer = await shop.send(name, body, { query, headers });
  expect([answer.status, findMismatch(routes[name], answer)]).toEqual([
    routes[name].status,
    undefined,
  ]);
  expect(blur(JSON.parse(answer.text))).toEqual(blur(examplesOf(name, "response")[example]?.value));
});

const queried = all.filter((name) =>
  findOperation(routes[name]).parameters.some((each) => each.in === "query"),
);
test.each(queried)("%s: the example of each query parameter is accepted", async (name) => {
  const shop = await openShop();
  await given[name]?.(shop);
  for (const parameter of findOperation(routes[name]).parameters) {
    if (parameter.in !== "query") continue;
    const { example } = parameter;
    const values =
      typeof example === "object" && example !== null
        ? Object.entries(example).map(([key, value]) => [
            `${parameter.name}[${key}]`,
            String(value),
          ])
        : [[parameter.name, String(example)]];
    const query = `?${new URLSearchParams(values as [string, string][]).toString()}`;
    const answer = await shop.send(name, undefined, { query });
    expect([query, answer.status, findMismatch(routes[name], answer)]).toEqual([
      query,
      routes[name].status,
      undefined,
    ]);
  }
});

test("every example is valid by its schema", () => {
  const found: string[] = [];
  const check = (at: string, schema: Schema, value: unknown) => {
    const mistake = findSchemaMistake(schema, value);
    if (mistake !== undefined) found.push(`${at}: ${mistake}`);
  };
  const operations = [resolvedDocument.paths, resolvedDocument.webhooks].flatMap((items) =>
    Object.values(items).flatMap((item) => Object.values(item)),
  );
  for (const { operationId, parameters, requestBody, responses } of operations) {
    for (const { name, schema, example } of parameters)
      check(`${operationId} ${name}`, schema, example);
    for (const part of [requestBody, ...Object.values(responses)]) {
      const { schema, examples = {} } = part?.content?.["application/json"] ?? {};
      for (const [name, { value }] of Object.entries(examples))
        check(`${operationId} ${name}`, schema ?? {}, value);
    }
  }
  expect(found).toEqual([]);
});

test("the headers of a webhook are those that sign its example with the example's secret", () => {
  const { parameters, requestBody } = resolvedDocument.webhooks["payment.succeeded"]?.post ?? {};
  const event = requestBody?.content["application/json"].examples?.["event"]?.value as Event;
  const endpoint = examplesOf("createEndpoint", "response")["endpoint"]?.value as WebhookEndpoint;
  const {
    "content-type": _,
    "user-agent": __,
    ...signed
  } = signWebhook({
    eventId: event.id,
    body: JSON.stringify(event),
    secrets: [endpoint.secret ?? ""],
    nowMs: event.created * 1000,
    version: "1.2.3",
  });
  expect(
    Object.fromEntries((parameters ?? []).map(({ name, example }) => [name, example])),
  ).toEqual(signed);
});
