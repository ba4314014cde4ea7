import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modes, type Mode } from "../../../src/contract/key.ts";
import type { List } from "../../../src/contract/list-object.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { routes } from "../../../src/contract/routes.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { form, visa } from "../../testkit/app/customer.ts";
import { openApp, type Answer, type Call } from "../../testkit/app/open-app.ts";
import { errorIn } from "../../testkit/app/refusal-of.ts";

/** An account in one of its modes: who it is, what it has, and how it asks. */
type Owner = {
  account: string;
  merchant: string;
  mode: Mode;
  paid: Payment;
  refunded: Payment;
  hosted: Payment;
  /** One with an address, of whose deliveries the first is of the event; and a listener. */
  endpoint: string;
  listener: string;
  event: string;
  ask: (call: Call) => Promise<Answer>;
};

const merchants = ["Books & Co", "Flowers"];
const names = merchants.flatMap((merchant) => modes.map((mode) => `${merchant} in ${mode} mode`));
const pairs = names.flatMap((asker) =>
  names.filter((owner) => owner !== asker).map((owner) => [asker, owner] as const),
);
/** A key that each has used, for a request that is the same. */
const shared = { "idempotency-key": "order-1" };
const hostedBody = { amount: 4999, currency: "eur" };

// Long enough for a busy machine: what expires meanwhile would change what an account sees.
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
    for (const mode of modes) owners.set(names[owners.size]!, await own(account, merchant, mode));
  }
});

async function own(account: string, merchant: string, mode: Mode): Promise<Owner> {
  const { key } = await service.createKey({ account, mode, name: merchant });
  const ask = async ({ headers, ...rest }: Call) =>
    call({ ...rest, key: null, headers: { authorization: `Bearer ${key}`, ...headers } });
  const endpoint = idIn(await ask(endpointCreation));
  const listener = idIn(await ask({ ...endpointCreation, body: { url: null } }));
  const paid = paymentIn(await ask({ ...creation, headers: shared }));
  const [event = ""] = await idsAt(ask, `/v1/events?payment=${paid.id}`);
  const hosted = paymentIn(await ask(hosting));
  const refund = refundOf(paymentIn(await ask(creation)), refundKeyOf(account, mode));
  const refunded = paymentIn(await ask(refund));
  return { account, merchant, mode, paid, refunded, hosted, endpoint, listener, event, ask };
}

function idIn({ status, text }: Answer): string {
  expect(status).toBeLessThan(300);
  return (JSON.parse(text) as { id: string }).id;
}

/** A key that it alone has used. */
function refundKeyOf(account: string, mode: Mode): Record<string, string> {
  return { "idempotency-key": `refund-${account}-${mode}` };
}

const creation: Call = { method: "POST", path: routes.createPayment.path, body: bodyWith({}) };
const endpointCreation: Call = {
  method: "POST",
  path: routes.createEndpoint.path,
  body: { url: "https://shop.example/hooks" },
};
const hosting: Call = { method: "POST", path: routes.createHosted.path, body: hostedBody };

function refundOf({ id }: Pick<Payment, "id">, headers: Record<string, string> = {}): Call {
  return { method: "POST", path: `/v1/payments/${id}/refund`, headers };
}

function retrieve({ id }: Pick<Payment, "id">): Call {
  return { path: `/v1/payments/${id}` };
}

function paymentIn({ status, text }: Answer): Payment {
  expect(status).toBeLessThan(300);
  return JSON.parse(text) as Payment;
}

/** An id that nobody has. */
const nobodys = { id: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab" };

/** A refusal, but for what differs at every one. */
function refusalIn(answer: Answer): object {
  const { request_id: _, ...error } = errorIn(answer);
  return { status: answer.status, error };
}

async function idsAt(ask: Owner["ask"], path: string): Promise<string[]> {
  const { text } = await ask({ path });
  return (JSON.parse(text) as List<{ id: string }>).data.map(({ id }) => id);
}

/** All that an owner can see of its own, byte for byte. */
async function sightOf({ ask, endpoint, listener }: Owner): Promise<string> {
  const deliveries = [endpoint, listener].map(deliveriesOf);
  const paths = ["/v1/payments", "/v1/events", "/v1/webhook_endpoints", ...deliveries];
  const lists = paths.map(async (path) => (await ask({ path: `${path}?limit=100` })).text);
  return (await Promise.all(lists)).join("\n");
}

const deliveriesOf = (id: string) => `/v1/webhook_endpoints/${id}/deliveries`;

type Own = Extract<keyof Owner, "paid" | "refunded" | "hosted" | "endpoint" | "listener" | "event">;

/** Requests of routes with an id: what of an owner's each is asked of, and with which body. */
const ofOneThing: Partial<Record<keyof typeof routes, { things: Own[]; body?: object }>> = {
  getPayment: { things: ["paid", "hosted"] },
  refundPayment: { things: ["paid", "refunded", "hosted"] },
  getEvent: { things: ["event"] },
  resendEvent: { things: ["event"] },
  getEndpoint: { things: ["endpoint"] },
  updateEndpoint: { things: ["endpoint", "listener"], body: { status: "disabled" } },
  rollEndpoint: { things: ["endpoint", "listener"] },
  deleteEndpoint: { things: ["endpoint", "listener"] },
  listDeliveries: { things: ["endpoint", "listener"] },
  startListener: { things: ["listener"] },
  takeDeliveries: { things: ["listener"] },
  reportDelivery: { things: ["listener"], body: { delivery: "del_1", delivered: true } },
};

function idOf(thing: Owner[Own]): string {
  return typeof thing === "string" ? thing : thing.id;
}

/** What is asked of something of the owner's is refused like what is asked of an id that nobody has. */
async function isUnknown(name: keyof typeof routes, asker: Owner, owner: Owner): Promise<void> {
  const { method, path } = routes[name];
  const { things = [], body } = ofOneThing[name] ?? {};
  const ask = async (id: string, headers = {}) =>
    refusalIn(
      await asker.ask({ method, path: path.replace(":id", id), headers, ...(body && { body }) }),
    );
  for (const thing of things) {
    const id = idOf(owner[thing]);
    const unknown = await ask(nobodys.id.replace("pay", id.split("_")[0]!));
    expect(unknown).toMatchObject({ status: 404, error: { code: "resource_missing" } });
    for (const headers of method === "POST" ? [{}, refundKeyOf(owner.account, owner.mode)] : [{}])
      expect(await ask(id, headers)).toEqual(unknown);
  }
}

/** A list shows what the asker has, and takes no cursor of the owner's. */
const lists: Partial<Record<keyof typeof routes, Own>> = {
  listPayments: "paid",
  listEvents: "event",
  listEndpoints: "endpoint",
};

async function listsOwn(path: string, thing: Own, asker: Owner, owner: Owner): Promise<void> {
  const [mine, theirs] = [idOf(asker[thing]), idOf(owner[thing])];
  const ids = await idsAt(asker.ask, `${path}?limit=100`);
  expect(ids).toContain(mine);
  expect(ids).not.toContain(theirs);
  for (const param of ["starting_after", "ending_before"]) {
    const from = async (id: string) =>
      refusalIn(await asker.ask({ path: `${path}?${param}=${id}` }));
    const unknown = await from(nobodys.id.replace("pay", theirs.split("_")[0]!));
    expect(unknown).toMatchObject({ status: 400, error: { param } });
    expect(await from(theirs)).toEqual(unknown);
  }
}

/** The same idempotency key makes something of its own in each account and mode. */
async function writesAnew(asker: Owner, creating: Call, owner: Owner): Promise<void> {
  const headers = { "idempotency-key": randomUUID() };
  const theirs = paymentIn(await owner.ask({ ...creating, headers }));
  const answer = await asker.ask({ ...creating, headers });
  expect(answer.status).toBe(201);
  expect(paymentIn(answer).id).not.toBe(theirs.id);
  expect(await idsAt(owner.ask, "/v1/payments?limit=100")).not.toContain(paymentIn(answer).id);
}

const special: Partial<Record<keyof typeof routes, (asker: Owner, owner: Owner) => Promise<void>>> =
  {
    createPayment: async (asker, owner) => {
      const again = await asker.ask({ ...creation, headers: shared });
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect(paymentIn(again).id).toBe(asker.paid.id);
      await writesAnew(asker, creation, owner);
    },
    createHosted: async (asker, owner) => writesAnew(asker, hosting, owner),
    createEndpoint: async (asker, owner) => {
      const before = await sightOf(owner);
      const id = idIn(await asker.ask(endpointCreation));
      expect(await sightOf(owner)).toBe(before);
      const remove = { method: "DELETE", path: `/v1/webhook_endpoints/${id}` };
      expect((await asker.ask(remove)).status).toBe(200);
    },
    listEvents: async ({ ask }, { paid }) =>
      expect(await idsAt(ask, `/v1/events?payment=${paid.id}`)).toEqual([]),
    resendEvent: async ({ ask, event }, { endpoint, listener }) => {
      for (const theirs of [endpoint, listener]) {
        const body = { endpoint: theirs };
        const answer = await ask({ method: "POST", path: `/v1/events/${event}/resend`, body });
        expect(refusalIn(answer)).toMatchObject({ status: 404, error: { param: "endpoint" } });
      }
    },
    reportDelivery: async (asker, owner) => {
      const [theirs = ""] = await idsAt(owner.ask, deliveriesOf(owner.listener));
      const path = `/v1/webhook_endpoints/${asker.listener}/report`;
      const body = { delivery: theirs, delivered: true };
      const answer = refusalIn(await asker.ask({ method: "POST", path, body }));
      expect(answer).toMatchObject({ status: 404, error: { param: "delivery" } });
    },
    getAccount: async ({ ask, account, merchant, mode }) => {
      expect(JSON.parse((await ask({ path: routes.getAccount.path })).text)).toEqual({
        id: account,
        object: "account",
        name: merchant,
        default_version: "2026-11-01",
        livemode: mode === "live",
      });
    },
  };

describe.each(pairs)("what %s asks is nothing of what belongs to %s", (askerName, ownerName) => {
  test.each(Object.keys(routes) as (keyof typeof routes)[])("%s", async (name) => {
    const [asker, owner] = [owners.get(askerName)!, owners.get(ownerName)!];
    const before = await sightOf(owner);
    const isKnown = name in ofOneThing || name in lists || name in special;
    expect(isKnown).toBe(true);
    await isUnknown(name, asker, owner);
    if (lists[name]) await listsOwn(routes[name].path, lists[name], asker, owner);
    expect(await sightOf(owner)).toBe(before);
    await special[name]?.(asker, owner);
    const isOthers = [...owners.values()].filter((each) => each !== asker);
    const seen = await Promise.all(isOthers.map(sightOf));
    for (const sight of seen) expect(sight).not.toContain(asker.paid.id);
    expect(await owner.ask(retrieve(owner.paid))).toMatchObject({
      status: 200,
      text: JSON.stringify(owner.paid),
    });
  });
});

/** What a customer does on a page, and what its payment is then. */
const onPages: Record<string, Pick<Call, "body" | "type"> & { becomes: Payment["status"] }> = {
  "GET /pay/:token": { becomes: "pending" },
  "POST /pay/:token": {
    body: new URLSearchParams(visa).toString(),
    type: form,
    becomes: "succeeded",
  },
  "POST /pay/:token/cancel": { body: "", type: form, becomes: "failed" },
  "GET /pay/:token/return": { becomes: "pending" },
};

describe.each(names)("on a page of %s", (name) => {
  test.each(Object.keys(onPages))("%s acts on its payment alone", async (endpoint) => {
    const [method = "", path = ""] = endpoint.split(" ");
    const owner = owners.get(name)!;
    const others = [...owners.values()].filter((each) => each !== owner);
    const hosted = paymentIn(await owner.ask(hosting));
    const page = new URL(hosted.redirect_url ?? "").pathname;
    const before = await Promise.all(others.map(sightOf));
    const { becomes, ...sent } = onPages[endpoint]!;
    const at = path.replace("/pay/:token", page);
    const answer = await call({ method, path: at, key: null, ...sent });
    expect(answer.status).toBeLessThan(400);
    expect(await Promise.all(others.map(sightOf))).toEqual(before);
    expect(paymentIn(await owner.ask(retrieve(hosted))).status).toBe(becomes);
    const shown = (await call({ path: page, key: null })).text;
    for (const merchant of merchants)
      expect(shown.includes(merchant.replace("&", "&amp;"))).toBe(merchant === owner.merchant);
  });
});
