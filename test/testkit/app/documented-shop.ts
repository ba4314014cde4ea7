import type { KeyGrant } from "../../../src/contract/administration.ts";
import assert from "node:assert/strict";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import type { Answer, openApp } from "./open-app.ts";
import { findOperation, type Examples } from "./openapi-document.ts";

// A shop to which each example of the API's description is sent, whose responses are compared with the described ones.

export type RouteName = keyof typeof routes;
/** The ids in a shop that its examples are about, by their prefix. */
type Ids = Record<string, string>;

/** The examples of a request or a response in the API's description. */
export const examplesOf = (name: RouteName, part: "requestBody" | "response"): Examples => {
  const { requestBody, responses } = findOperation(routes[name]);
  const content = part === "requestBody" ? requestBody : responses[routes[name].status];
  return content?.content["application/json"].examples ?? {};
};

type Request = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
};
/** How a test sends a request. */
export type Send = (request: Request) => Promise<Answer>;

type Service = Awaited<ReturnType<typeof openApp>>["service"];

/** An account of its own, in test mode, with its key; what is sent there is sent by `call`. */
export async function openShop(service: Service, call: Send, grant: Partial<KeyGrant> = {}) {
  const { id: account } = await service.createAccount({ name: "Books & Co" });
  const { key } = await service.createKey({ account, mode: "test", name: "shop", ...grant });
  const ids: Ids = {};
  /** The ids of the examples stand for those of the shop. */
  const translate = (text: string) =>
    text.replaceAll(/\b(pay|evt|we|del|req)_[\w-]+/g, (id, prefix: string) => ids[prefix] ?? id);

  async function send(
    name: RouteName,
    body?: unknown,
    {
      query = "",
      headers = {},
      by = call,
    }: { query?: string; headers?: Record<string, string>; by?: Send } = {},
  ) {
    const { method, path }: Route = routes[name];
    const parameters = findOperation(routes[name]).parameters.filter((each) => each.in === "path");
    const filled = path.replaceAll(/:(\w+)/g, (_, id) =>
      String(parameters.find((each) => each.name === id)?.example),
    );
    const answer = await by({
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
    assert.equal(answer.status, routes[name].status);
    for (const [id, prefix = ""] of answer.text.matchAll(/\b(pay|evt|we|del)_[\w-]+/g)) {
      ids[prefix] = id;
    }
  }

  return { service, ids, make, send };
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
const makeRefused = async ({ service, send, ids }: Shop) => {
  ids["req"] = (await send("getPayment")).headers["service-request-id"] ?? "";
  await service.flushRequests();
};

/** The state of a shop before an example is sent. */
export const given: { [Name in RouteName]?: (shop: Shop) => Promise<void> } = {
  listPayments: makePayment,
  getPayment: makePayment,
  getHistory: async (shop) => {
    await makePayment(shop);
    await shop.service.flushRequests();
  },
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
  listAllDeliveries: async (shop) => {
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
export function blur(value: unknown, name = ""): unknown {
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
export const queries: { [Name in RouteName]?: string } = {
  reportPayments: "?from=2020-01-01&to=2050-01-01&by=month",
  listAllDeliveries: "?payment=pay_1",
};

/** The headers of an operation, each with its example. */
export function exampleHeaders(name: RouteName): Record<string, string> {
  const parameters = findOperation(routes[name]).parameters.filter((each) => each.in === "header");
  return Object.fromEntries(parameters.map((each) => [each.name, String(each.example)]));
}

const all = Object.keys(routes) as RouteName[];

/** Each example that has a response: its operation, and its name. */
export const responseExamples = all.flatMap((name) =>
  Object.keys(examplesOf(name, "response")).map((each) => [name, each] as const),
);

/** What the key of an example may, by the example's name; others may everything. */
export const grants: Record<string, KeyGrant> = {
  restricted: { permissions: ["read", "refund"], max_refund: 5000 },
};
