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

const { service, call, close } = await openApp();
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

async function idsOf({ ask }: Owner, query = "limit=100"): Promise<string[]> {
  return await idsAt(ask, `/v1/payments?${query}`);
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

/** What is asked of something of the owner's is refused like what is asked of nobody's, and changes nothing. */
async function isUnknown(
  asker: Owner,
  owner: Owner,
  asking: (id: string) => Call,
  ...ids: string[]
) {
  const before = await sightOf(owner);
  const [prefix] = ids[0]!.split("_");
  const nobody = nobodys.id.replace("pay", prefix!);
  const unknown = refusalIn(await asker.ask(asking(nobody)));
  expect(unknown).toMatchObject({ status: 404, error: { code: "resource_missing" } });
  for (const id of ids) expect(refusalIn(await asker.ask(asking(id)))).toEqual(unknown);
  expect(await sightOf(owner)).toBe(before);
}

/** A list shows what the asker has, and takes no cursor of the owner's. */
async function listsOwn(asker: Owner, path: string, mine: string, theirs: string): Promise<void> {
  const ids = await idsAt(asker.ask, `${path}?limit=100`);
  expect(ids).toContain(mine);
  expect(ids).not.toContain(theirs);
  for (const param of ["starting_after", "ending_before"]) {
    const answer = refusalIn(await asker.ask({ path: `${path}?${param}=${theirs}` }));
    expect(answer).toMatchObject({ status: 400, error: { param } });
  }
}

const resend = (id: string) => ({ method: "POST", path: `/v1/events/${id}/resend` });
const remove = (id: string) => ({ method: "DELETE", path: `/v1/webhook_endpoints/${id}` });
const deliveriesOf = (id: string) => `/v1/webhook_endpoints/${id}/deliveries`;

/** Asks something of an endpoint, with a body. */
const post =
  (action = "", body: object = {}) =>
  (id: string): Call => ({ method: "POST", path: `/v1/webhook_endpoints/${id}${action}`, body });

async function writesAnew(asker: Owner, creating: Call, owner: Owner): Promise<void> {
  const headers = { "idempotency-key": randomUUID() };
  const theirs = paymentIn(await owner.ask({ ...creating, headers }));
  const answer = await asker.ask({ ...creating, headers });
  expect(answer.status).toBe(201);
  expect(paymentIn(answer).id).not.toBe(theirs.id);
  expect(await idsOf(owner)).not.toContain(paymentIn(answer).id);
}

/** What of an owner's each endpoint shows, or does, to an asker: nothing. */
const endpoints: Record<keyof typeof routes, (asker: Owner, owner: Owner) => Promise<void>> = {
  createPayment: async (asker, owner) => {
    const again = await asker.ask({ ...creation, headers: shared });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(paymentIn(again).id).toBe(asker.paid.id);
    await writesAnew(asker, creation, owner);
  },
  createHosted: async (asker, owner) => writesAnew(asker, hosting, owner),
  getPayment: async ({ ask }, { paid, hosted }) => {
    const unknown = refusalIn(await ask(retrieve(nobodys)));
    expect(unknown).toMatchObject({ status: 404, error: { code: "resource_missing" } });
    for (const theirs of [paid, hosted])
      expect(refusalIn(await ask(retrieve(theirs)))).toEqual(unknown);
  },
  refundPayment: async ({ ask }, { account, mode, paid, refunded, hosted }) => {
    const unknown = refusalIn(await ask(refundOf(nobodys)));
    expect(unknown).toMatchObject({ status: 404, error: { code: "resource_missing" } });
    for (const theirs of [paid, refunded, hosted])
      for (const headers of [{}, refundKeyOf(account, mode)])
        expect(refusalIn(await ask(refundOf(theirs, headers)))).toEqual(unknown);
  },
  listPayments: async (asker, owner) => {
    const [mine, theirs] = [await idsOf(asker), await idsOf(owner)];
    expect(mine).toContain(asker.paid.id);
    expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
    for (const status of ["succeeded", "pending", "refunded"])
      expect(mine).toEqual(expect.arrayContaining(await idsOf(asker, `status=${status}`)));
    for (const cursor of ["starting_after", "ending_before"]) {
      const from = async (id: string) =>
        refusalIn(await asker.ask({ path: `/v1/payments?${cursor}=${id}` }));
      const unknown = await from(nobodys.id);
      expect(unknown).toMatchObject({ status: 400, error: { param: cursor } });
      expect(await from(owner.paid.id)).toEqual(unknown);
    }
  },
  listEvents: async (asker, owner) => {
    await listsOwn(asker, "/v1/events", asker.event, owner.event);
    const theirs = await idsAt(asker.ask, `/v1/events?payment=${owner.paid.id}`);
    expect(theirs).toEqual([]);
  },
  getEvent: async (asker, owner) =>
    isUnknown(asker, owner, (id) => ({ path: `/v1/events/${id}` }), owner.event),
  resendEvent: async (asker, owner) => {
    await isUnknown(asker, owner, resend, owner.event);
    const path = resend(asker.event).path;
    await isUnknown(
      asker,
      owner,
      (endpoint) => ({ method: "POST", path, body: { endpoint } }),
      owner.endpoint,
      owner.listener,
    );
  },
  createEndpoint: async (asker, owner) => {
    const before = await sightOf(owner);
    const id = idIn(await asker.ask(endpointCreation));
    expect(await sightOf(owner)).toBe(before);
    expect(
      (await asker.ask({ method: "DELETE", path: `/v1/webhook_endpoints/${id}` })).status,
    ).toBe(200);
  },
  listEndpoints: async (asker, owner) =>
    listsOwn(asker, "/v1/webhook_endpoints", asker.endpoint, owner.endpoint),
  getEndpoint: async (asker, owner) =>
    isUnknown(asker, owner, (id) => ({ path: `/v1/webhook_endpoints/${id}` }), owner.endpoint),
  updateEndpoint: async (asker, owner) =>
    isUnknown(asker, owner, post("", { status: "disabled" }), owner.endpoint, owner.listener),
  rollEndpoint: async (asker, owner) =>
    isUnknown(asker, owner, post("/roll"), owner.endpoint, owner.listener),
  deleteEndpoint: async (asker, owner) => {
    await isUnknown(asker, owner, remove, owner.endpoint, owner.listener);
  },
  listDeliveries: async (asker, owner) => {
    await isUnknown(
      asker,
      owner,
      (id) => ({ path: deliveriesOf(id) }),
      owner.endpoint,
      owner.listener,
    );
    const [mine = ""] = await idsAt(asker.ask, deliveriesOf(asker.endpoint));
    const [theirs = ""] = await idsAt(owner.ask, deliveriesOf(owner.endpoint));
    await listsOwn(asker, deliveriesOf(asker.endpoint), mine, theirs);
  },
  startListener: async (asker, owner) =>
    isUnknown(asker, owner, post("/start", { only_new: true }), owner.listener),
  takeDeliveries: async (asker, owner) => isUnknown(asker, owner, post("/take"), owner.listener),
  reportDelivery: async (asker, owner) => {
    const [theirs = ""] = await idsAt(owner.ask, deliveriesOf(owner.listener));
    const report = { delivery: theirs, delivered: true };
    await isUnknown(asker, owner, post("/report", report), owner.listener);
    const reporting = post("/report", report)(asker.listener);
    expect(refusalIn(await asker.ask(reporting))).toMatchObject({
      status: 404,
      error: { param: "delivery" },
    });
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
  test.each(Object.entries(endpoints))("%s", async (_, check) => {
    const [asker, owner] = [owners.get(askerName)!, owners.get(ownerName)!];
    await check(asker, owner);
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
