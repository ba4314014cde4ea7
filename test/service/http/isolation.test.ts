import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mode, modes } from "../../../src/contract/field-values.ts";
import type { List } from "../../../src/contract/list.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { PaymentsReport } from "../../../src/contract/account.ts";
import { routes } from "../../../src/contract/routes.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { form, visa } from "../../testkit/app/customer.ts";
import { type Answer, type Call, errorIn, openApp } from "../../testkit/app/open-app.ts";

/** An account in one of its modes, its objects, and a function that sends requests with its key. */
type Owner = {
  account: string;
  merchant: string;
  mode: Mode;
  paid: Payment;
  refunded: Payment;
  hosted: Payment;
  /** An endpoint with a URL, whose first delivery is of the event; and a listener. */
  endpoint: string;
  listener: string;
  event: string;
  /** The logged request that made `paid`. */
  request: string;
  send: (call: Call) => Promise<Answer>;
};

const merchants = ["Books & Co", "Flowers"];
const names = merchants.flatMap((merchant) => modes.map((mode) => `${merchant} in ${mode} mode`));
/** Two who share neither account nor mode, each with all others. */
const pairs = ["Books & Co in test mode", "Flowers in live mode"].flatMap((requester) =>
  names.filter((owner) => owner !== requester).map((owner) => [requester, owner] as const),
);
/** An idempotency key that every owner has used for the same request. */
const shared = { "idempotency-key": "order-1" };
const hostedBody = { amount: 4999, currency: "eur" };

// Long enough for a busy machine: an expired page or event would change the lists of an account.
const hourMs = 3_600_000;
const { service, call, close } = await openApp({
  hppExpiryMs: hourMs,
  webhooks: { eventRetentionMs: hourMs },
});
afterAll(close);
const owners = new Map<string, Owner>();
beforeAll(async () => {
  for (const merchant of merchants) {
    const { id: account } = await service.createAccount({ name: merchant });
    for (const mode of modes)
      owners.set(names[owners.size]!, await createOwner(account, merchant, mode));
  }
});

async function createOwner(account: string, merchant: string, mode: Mode): Promise<Owner> {
  const { key } = await service.createKey({ account, mode, name: merchant });
  const send = async ({ headers, ...rest }: Call) =>
    call({ ...rest, key: null, headers: { authorization: `Bearer ${key}`, ...headers } });
  const endpoint = idIn(await send(endpointCreation));
  const listener = idIn(await send({ ...endpointCreation, body: { url: null } }));
  const created = await send({ ...creation, headers: shared });
  const paid = paymentIn(created);
  const [event = ""] = await listIds(send, `/v1/events?payment=${paid.id}`);
  const hosted = paymentIn(await send(hosting));
  const refund = buildRefund(paymentIn(await send(creation)), buildRefundKey(account, mode));
  const refunded = paymentIn(await send(refund));
  await service.flushRequests();
  const request = created.headers["service-request-id"] ?? "";
  return {
    account,
    merchant,
    mode,
    paid,
    refunded,
    hosted,
    endpoint,
    listener,
    event,
    request,
    send,
  };
}

function idIn({ status, text }: Answer): string {
  expect(status).toBeLessThan(300);
  return (JSON.parse(text) as { id: string }).id;
}

/** An idempotency key that only this owner has used. */
function buildRefundKey(account: string, mode: Mode): Record<string, string> {
  return { "idempotency-key": `refund-${account}-${mode}` };
}

const creation: Call = { method: "POST", path: routes.createPayment.path, body: bodyWith({}) };
const endpointCreation: Call = {
  method: "POST",
  path: routes.createEndpoint.path,
  body: { url: "https://shop.example/hooks" },
};
const hosting: Call = { method: "POST", path: routes.createHosted.path, body: hostedBody };

function buildRefund({ id }: Pick<Payment, "id">, headers: Record<string, string> = {}): Call {
  return { method: "POST", path: `/v1/payments/${id}/refund`, headers };
}

function retrieve({ id }: Pick<Payment, "id">): Call {
  return { path: `/v1/payments/${id}` };
}

function paymentIn({ status, text }: Answer): Payment {
  expect(status).toBeLessThan(300);
  return JSON.parse(text) as Payment;
}

/** An id that does not exist. */
const unknownId = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";

/** An error without its request id. */
function refusalIn(answer: Answer): object {
  const { request_id: _, ...error } = errorIn(answer);
  return { status: answer.status, error };
}

async function listIds(send: Owner["send"], path: string): Promise<string[]> {
  const { text } = await send({ path });
  return (JSON.parse(text) as List<{ id: string }>).data.map(({ id }) => id);
}

/** All lists of an owner, byte for byte. */
async function listAll({ send, endpoint, listener }: Owner): Promise<string> {
  const deliveries = [endpoint, listener].map(deliveriesOf);
  const paths = ["/v1/payments", "/v1/events", "/v1/webhook_endpoints", ...deliveries];
  const lists = paths.map(async (path) => (await send({ path: `${path}?limit=100` })).text);
  return (await Promise.all(lists)).join("\n");
}

const deliveriesOf = (id: string) => `/v1/webhook_endpoints/${id}/deliveries`;

type Own = Extract<
  keyof Owner,
  "paid" | "refunded" | "hosted" | "endpoint" | "listener" | "event" | "request"
>;

/** The routes with an id: the owner's objects to request, and the body. */
const objectRoutes: Partial<Record<keyof typeof routes, { things: Own[]; body?: object }>> = {
  getPayment: { things: ["paid", "hosted"] },
  getHistory: { things: ["paid", "refunded", "hosted", "event", "request"] },
  refundPayment: { things: ["paid", "refunded", "hosted"] },
  cancelPayment: { things: ["paid", "refunded", "hosted"] },
  getEvent: { things: ["event"] },
  resendEvent: { things: ["event"] },
  getRequest: { things: ["request"] },
  getEndpoint: { things: ["endpoint"] },
  updateEndpoint: { things: ["endpoint", "listener"], body: { status: "disabled" } },
  rollEndpoint: { things: ["endpoint", "listener"] },
  deleteEndpoint: { things: ["endpoint", "listener"] },
  listDeliveries: { things: ["endpoint", "listener"] },
  listAllDeliveries: { things: [] },
  getDelivery: { things: ["endpoint", "listener"] },
  recoverEndpoint: { things: ["endpoint", "listener"], body: { since: 0 } },
  testEndpoint: { things: ["endpoint", "listener"] },
  startListener: { things: ["listener"] },
  takeDeliveries: { things: ["listener"] },
  reportDelivery: { things: ["listener"], body: { delivery: "del_1", delivered: true } },
};

function idOf(thing: Owner[Own]): string {
  return typeof thing === "string" ? thing : thing.id;
}

/** A request for an object of another owner gets the same error as one for an id that does not exist. */
async function expectUnknown(
  name: keyof typeof routes,
  requester: Owner,
  owner: Owner,
): Promise<void> {
  const { method, path } = routes[name];
  const { things = [], body } = objectRoutes[name] ?? {};
  const send = async (id: string, headers = {}) =>
    refusalIn(
      await requester.send({
        method,
        path: path.replace(":id", id),
        headers,
        ...(body && { body }),
      }),
    );
  for (const thing of things) {
    const id = idOf(owner[thing]);
    const unknown = await send(unknownId.replace("pay", id.split("_")[0]!));
    expect(unknown).toMatchObject({ status: 404, error: { code: "resource_missing" } });
    for (const headers of method === "POST"
      ? [{}, buildRefundKey(owner.account, owner.mode)]
      : [{}])
      expect(await send(id, headers)).toEqual(unknown);
  }
}

/** A list contains the requester's own objects only, and refuses a cursor of another owner. */
const lists: Partial<Record<keyof typeof routes, Own>> = {
  listPayments: "paid",
  listEvents: "event",
  listEndpoints: "endpoint",
  listRequests: "request",
};

/** A filter where an owner has more objects than fit on a page. */
const narrowest: Record<string, string> = { "/v1/requests": "&idempotency_key=order-1" };

async function expectOwnList(
  path: string,
  thing: Own,
  requester: Owner,
  owner: Owner,
): Promise<void> {
  const [mine, theirs] = [idOf(requester[thing]), idOf(owner[thing])];
  const ids = await listIds(requester.send, `${path}?limit=100${narrowest[path] ?? ""}`);
  expect(ids).toContain(mine);
  expect(ids).not.toContain(theirs);
  for (const param of ["starting_after", "ending_before"]) {
    const from = async (id: string) =>
      refusalIn(await requester.send({ path: `${path}?${param}=${id}` }));
    const unknown = await from(unknownId.replace("pay", theirs.split("_")[0]!));
    expect(unknown).toMatchObject({ status: 400, error: { param } });
    expect(await from(theirs)).toEqual(unknown);
  }
}

/** The same idempotency key creates a separate payment in each account and mode. */
async function expectSeparateWrite(requester: Owner, creating: Call, owner: Owner): Promise<void> {
  const headers = { "idempotency-key": randomUUID() };
  const theirs = paymentIn(await owner.send({ ...creating, headers }));
  const answer = await requester.send({ ...creating, headers });
  expect(answer.status).toBe(201);
  expect(paymentIn(answer).id).not.toBe(theirs.id);
  expect(await listIds(owner.send, "/v1/payments?limit=100")).not.toContain(paymentIn(answer).id);
}

const special: Partial<
  Record<keyof typeof routes, (requester: Owner, owner: Owner) => Promise<void>>
> = {
  createPayment: async (requester, owner) => {
    const again = await requester.send({ ...creation, headers: shared });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(paymentIn(again).id).toBe(requester.paid.id);
    await expectSeparateWrite(requester, creation, owner);
  },
  createHosted: async (requester, owner) => expectSeparateWrite(requester, hosting, owner),
  createEndpoint: async (requester, owner) => {
    const before = await listAll(owner);
    const id = idIn(await requester.send(endpointCreation));
    expect(await listAll(owner)).toBe(before);
    const remove = { method: "DELETE", path: `/v1/webhook_endpoints/${id}` };
    expect((await requester.send(remove)).status).toBe(200);
  },
  listEvents: async ({ send }, { paid }) =>
    expect(await listIds(send, `/v1/events?payment=${paid.id}`)).toEqual([]),
  resendEvent: async ({ send, event }, { endpoint, listener }) => {
    for (const theirs of [endpoint, listener]) {
      const body = { endpoint: theirs };
      const answer = await send({ method: "POST", path: `/v1/events/${event}/resend`, body });
      expect(refusalIn(answer)).toMatchObject({ status: 404, error: { param: "endpoint" } });
    }
  },
  getDelivery: async (requester, owner) => {
    const [theirs = ""] = await listIds(owner.send, deliveriesOf(owner.endpoint));
    const path = `${deliveriesOf(requester.endpoint)}/${theirs}`;
    const answer = refusalIn(await requester.send({ path }));
    expect(answer).toMatchObject({ status: 404, error: { param: "delivery" } });
  },
  reportDelivery: async (requester, owner) => {
    const [theirs = ""] = await listIds(owner.send, deliveriesOf(owner.listener));
    const path = `/v1/webhook_endpoints/${requester.listener}/report`;
    const body = { delivery: theirs, delivered: true };
    const answer = refusalIn(await requester.send({ method: "POST", path, body }));
    expect(answer).toMatchObject({ status: 404, error: { param: "delivery" } });
  },
  reportPayments: async ({ send, mode }) => {
    const { text } = await send({ path: routes.reportPayments.path });
    const report = JSON.parse(text) as PaymentsReport;
    const own = await listIds(send, "/v1/payments?limit=100");
    expect(report.livemode).toBe(mode === "live");
    expect(report.data.reduce((sum, { payments }) => sum + payments, 0)).toBe(own.length);
  },
  getAccount: async ({ send, account, merchant, mode }) => {
    expect(JSON.parse((await send({ path: routes.getAccount.path })).text)).toEqual({
      id: account,
      object: "account",
      name: merchant,
      default_version: "2026-11-01",
      livemode: mode === "live",
      permissions: ["create", "read", "refund", "webhooks"],
      max_refund: null,
    });
  },
};

describe.each(pairs)("a request of %s never reaches data of %s", (requesterName, ownerName) => {
  test.each(Object.keys(routes) as (keyof typeof routes)[])("%s", async (name) => {
    const [requester, owner] = [owners.get(requesterName)!, owners.get(ownerName)!];
    const before = await listAll(owner);
    expect(name in objectRoutes || name in lists || name in special).toBe(true);
    await expectUnknown(name, requester, owner);
    if (lists[name]) await expectOwnList(routes[name].path, lists[name], requester, owner);
    expect(await listAll(owner)).toBe(before);
    await special[name]?.(requester, owner);
    const others = [...owners.values()].filter((each) => each !== requester);
    const listings = await Promise.all(others.map(listAll));
    for (const listing of listings) expect(listing).not.toContain(requester.paid.id);
    expect(await owner.send(retrieve(owner.paid))).toMatchObject({
      status: 200,
      text: JSON.stringify(owner.paid),
    });
  });
});

/** A customer's request on a page, and the payment's status after it. */
const onPages: Record<string, Pick<Call, "body" | "type"> & { expectedStatus: Payment["status"] }> =
  {
    "GET /pay/:token": { expectedStatus: "pending" },
    "POST /pay/:token": {
      body: new URLSearchParams(visa).toString(),
      type: form,
      expectedStatus: "succeeded",
    },
    "POST /pay/:token/cancel": { body: "", type: form, expectedStatus: "failed" },
    "GET /pay/:token/return": { expectedStatus: "pending" },
  };

describe.each(names)("on a page of %s", (name) => {
  test.each(Object.keys(onPages))("%s changes only its own payment", async (endpoint) => {
    const [method = "", path = ""] = endpoint.split(" ");
    const owner = owners.get(name)!;
    const others = [...owners.values()].filter((each) => each !== owner);
    const hosted = paymentIn(await owner.send(hosting));
    const page = new URL(hosted.redirect_url ?? "").pathname;
    const before = await Promise.all(others.map(listAll));
    const { expectedStatus, ...sent } = onPages[endpoint]!;
    const at = path.replace("/pay/:token", page);
    const answer = await call({ method, path: at, key: null, ...sent });
    expect(answer.status).toBeLessThan(400);
    expect(await Promise.all(others.map(listAll))).toEqual(before);
    expect(paymentIn(await owner.send(retrieve(hosted))).status).toBe(expectedStatus);
    const shown = (await call({ path: page, key: null })).text;
    for (const merchant of merchants)
      expect(shown.includes(merchant.replace("&", "&amp;"))).toBe(merchant === owner.merchant);
  });
});
