import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Actor } from "../../../src/contract/administration.ts";
import type { History } from "../../../src/contract/history.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { SendOutcome, WebhookSender } from "../../../src/service/webhooks/webhooks-service.ts";
import { type Answer, type Call, openApp } from "../../testkit/app/open-app.ts";
import { canaryCard, canaryKey, leaksIn } from "../../testkit/deployment/canaries.ts";
import { action, visa } from "../../testkit/app/customer.ts";
import { cardWith } from "../../testkit/service/open-test-service.ts";
import { fakeNetwork, declined, unreached } from "../../testkit/network/fake-network.ts";

type Mode = "test" | "live";

/** Another millisecond begins, so that what follows is told later. */
async function passMillisecond(): Promise<void> {
  const nowMs = Date.now();
  while (Date.now() === nowMs) await new Promise(setImmediate);
}

async function openShop(fake?: ReturnType<typeof fakeNetwork>) {
  /** What the endpoints answer next; 200 after that. */
  const answers: SendOutcome[] = [];
  const accepted = {
    outcome: "delivered",
    status: 200,
    error: null,
    answer: "secret-answer",
  } as const;
  const sender: WebhookSender = {
    send: async () => answers.shift() ?? accepted,
    close: async () => {},
  };
  const ahead = { ms: 0 };
  const opened = await openApp({
    ...(fake && { network: fake.networkOf }),
    hppExpiryMs: 7_200_000,
    clock: () => Date.now() + ahead.ms,
    webhooks: { eventRetentionMs: 86_400_000, schedule: Array.from({ length: 3 }, () => 0) },
    timeouts: { refundMs: 0 },
  });
  const { service, call } = opened;
  const worker = service.createWebhookWorker({
    sender,
    observe: { attempted: () => {}, disabled: () => {}, broken: (error) => Promise.reject(error) },
    wake: () => {},
    failingPauseMs: 0,
  });
  const accountId = (await service.listAccounts())[0]?.id ?? "";
  const scopeOf = (mode: Mode) => ({ accountId, livemode: mode === "live" });
  const send = async (request: Call): Promise<Answer> => {
    await passMillisecond();
    return await call({ method: "POST", ...request });
  };
  const settler = service.createChargeSettler({
    wake: () => {},
    broken: (error) => Promise.reject(error),
  });
  const shop = {
    ...opened,
    fake,
    answers,
    scopeOf,
    send,
    pay: async ({
      mode = "test",
      number,
      key,
    }: { mode?: Mode; number?: string; key?: string } = {}) => {
      const card = cardWith(number === undefined ? {} : { number });
      const headers = key === undefined ? {} : { "idempotency-key": key };
      const body = { amount: 4999, currency: "eur", card };
      return JSON.parse((await send({ body, headers, key: mode })).text) as Payment;
    },
    open: async (mode: Mode = "test") => {
      const body = { amount: 4999, currency: "eur", customer: { email: "ada@example.com" } };
      const { text } = await send({ path: "/v1/payments/hpp", body, key: mode });
      const payment = JSON.parse(text) as Payment;
      const path = new URL(payment.redirect_url ?? "").pathname;
      const submit = async (end = "", fields: Record<string, string> = {}) =>
        send({
          path: `${path}${end}`,
          key: null,
          body: new URLSearchParams(fields).toString(),
          type: "application/x-www-form-urlencoded",
        });
      const visit = async (end = "") => send({ method: "GET", path: `${path}${end}`, key: null });
      return { ...payment, path, submit, visit };
    },
    refund: async (id: string, { key, mode = "test" }: { key?: string; mode?: Mode } = {}) =>
      send({
        path: `/v1/payments/${id}/refund`,
        key: mode,
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      }),
    endpoint: { path: "" },
    subscribe: async () => {
      const path = "/v1/webhook_endpoints";
      const created = await send({
        path,
        body: { url: "https://shop.example/hooks?token=hidden" },
      });
      shop.endpoint.path = `${path}/${(JSON.parse(created.text) as { id: string }).id}`;
    },
    deliver: async () => {
      await passMillisecond();
      await worker.deliver();
      await worker.idle();
    },
    settle: async () => {
      await passMillisecond();
      await service.settlePayments();
      await settler.settle();
      await settler.idle();
    },
    /** By default two hours later, when a page has expired. */
    later: async (work: () => Promise<unknown>, minutes = 120) => {
      ahead.ms = minutes * 60_000;
      await work();
      ahead.ms = 0;
    },
    story: async (id: string, mode: Mode = "test") => {
      await service.flushRequests();
      return await service.getHistory(scopeOf(mode), id);
    },
  };
  return shop;
}
type Shop = Awaited<ReturnType<typeof openShop>>;

function read({ data, due }: History): string[] {
  return [
    ...data.map(
      ({ kind, by, text }) =>
        `${kind}${by ? ` by ${[by.type, by.name].filter(Boolean).join(" ")}` : ""}: ${text}`,
    ),
    ...due.map(({ kind, text }) => `due ${kind}: ${text}`),
  ];
}

const grace: Actor = { type: "operator", id: "op_1", name: "Grace" };

type Told = { id: string; mode?: Mode };
type Tell = (shop: Shop) => Promise<Told>;

const failed = (status: number | null, error: string) =>
  ({ outcome: "failed", status, error, answer: "secret-answer" }) as const;

const unheard = " No webhook was sent: no endpoint was subscribed.";

/** Each way that a payment can go, and its whole story. */
const simulated: [name: string, go: Tell, ...story: string[]][] = [
  [
    "paid at once",
    async ({ pay }) => pay(),
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
  ],
  [
    "sent twice, and its key used for another payment",
    async ({ pay, send }) => {
      const { id } = await pay({ key: "order-7" });
      await pay({ key: "order-7" });
      const body = { amount: 1, currency: "eur", card: cardWith() };
      await send({ body, headers: { "idempotency-key": "order-7" } });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242 with the idempotency key order-7.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    "replayed by key test: The request to create the payment came again with the idempotency key order-7, and got the stored answer: nothing was done twice.",
    "refused by key test: Another request with the idempotency key order-7 was refused: idempotency_key_reused. This Idempotency-Key was used for another request within the last 24 hours.",
  ],
  [
    "declined later",
    async ({ pay, settle }) => {
      const { id } = await pay({ number: "4000000000009995" });
      await settle();
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 9995.",
    `failed by service: The payment failed with insufficient_funds. The card has insufficient funds to complete this payment. The customer should use another card, or try again later.${unheard}`,
  ],
  [
    "waiting for its decline",
    async ({ pay }) => pay({ number: "4000000000009995" }),
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 9995.",
    "due settlement: The card network has not decided yet: it is asked what became of the payment.",
  ],
  [
    "declined in live mode",
    async ({ pay, settle }) => {
      const { id } = await pay({ mode: "live", number: "4000000000000002" });
      await settle();
      return { id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 0002.",
    `failed by network simulator: The payment failed with generic_decline. The card was declined. The customer should use another card or ask the bank.${unheard}`,
  ],
  [
    "on a page that is open",
    async ({ open }) => open(),
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "due expiry: The payment page expires: a payment that is not paid by then fails.",
  ],
  [
    "paid on its page",
    async ({ open }) => {
      const page = await open();
      await page.submit("", visa);
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `succeeded by customer Ada: The customer paid 49.99 EUR on the payment page with the visa card ending in 4242: the payment succeeded.${unheard}`,
  ],
  [
    "declined on its page",
    async ({ open, settle }) => {
      const page = await open();
      await page.submit("", { ...visa, number: "4000000000009995" });
      await settle();
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `failed by customer Ada: The payment failed with insufficient_funds. The card has insufficient funds to complete this payment. The customer should use another card, or try again later.${unheard}`,
  ],
  [
    "on a page that its customer canceled",
    async ({ open }) => {
      const page = await open();
      await page.submit("/cancel");
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `canceled by customer ada@example.com: The customer canceled the payment on its page.${unheard}`,
  ],
  [
    "on a page that was canceled by a key",
    async ({ open, send }) => {
      const page = await open();
      const headers = { "idempotency-key": "cancel-7" };
      await send({ path: `/v1/payments/${page.id}/cancel`, headers });
      await send({ path: `/v1/payments/${page.id}/cancel` });
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `canceled by key test: The payment was canceled with the idempotency key cancel-7: its page can no longer be paid.${unheard}`,
    "refused by key test: A request to cancel the payment was refused: payment_not_cancelable. Only a pending payment whose page is open can be canceled. This one has no page, has ended, or its customer has just sent a card.",
  ],
  [
    "on a page that was canceled by an operator",
    async ({ open, service, scopeOf }) => {
      const page = await open();
      await service.cancelPayment(scopeOf("test"), page.id, undefined, grace);
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `canceled by operator Grace: The payment was canceled: its page can no longer be paid.${unheard}`,
  ],
  [
    "on a page that expired",
    async ({ open, settle, later }) => {
      const page = await open();
      await later(settle);
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    `failed by service: The payment failed with hpp_expired. The payment page expired before the customer paid. If the customer still wants to pay, create another payment.${unheard}`,
  ],
  [
    "at the bank",
    async ({ open }) => {
      const page = await open();
      await page.submit("", { ...visa, number: "4000002760003184" });
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "challenged by network simulator: The bank asked the customer to confirm the payment (3-D Secure).",
    "due settlement: The bank is asked whether the customer has confirmed the payment.",
    "due expiry: The payment page expires: a payment that is not paid by then fails.",
  ],
  [
    "confirmed at the bank",
    async ({ open }) => {
      const page = await open();
      await page.submit("", { ...visa, number: "4000002760003184" });
      await page.submit("/challenge", { decision: "approve" });
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "challenged by network simulator: The bank asked the customer to confirm the payment (3-D Secure).",
    "challenge_ended by customer Ada: The customer confirmed the payment at the bank.",
    `succeeded by customer Ada: The customer paid 49.99 EUR on the payment page with the visa card ending in 3184: the payment succeeded.${unheard}`,
  ],
  [
    "not confirmed at the bank",
    async ({ open }) => {
      const page = await open();
      await page.submit("", { ...visa, number: "4000002760003184" });
      await page.submit("/challenge", { decision: "decline" });
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "challenged by network simulator: The bank asked the customer to confirm the payment (3-D Secure).",
    "challenge_ended by customer Ada: The customer did not confirm the payment at the bank.",
    `failed by customer Ada: The payment failed with authentication_required. The bank wanted the customer to confirm this payment, and it was not confirmed. The customer should try again on a payment page, where the bank can ask, or use another card.${unheard}`,
  ],
  [
    "left at the bank",
    async ({ open, settle, later }) => {
      const page = await open();
      await page.submit("", { ...visa, number: "4000002760003184" });
      await later(settle, 60); // its page is still open
      return page;
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "challenged by network simulator: The bank asked the customer to confirm the payment (3-D Secure).",
    "challenge_ended by customer Ada: The customer did not confirm the payment at the bank.",
    `failed by customer Ada: The payment failed with authentication_required. The bank wanted the customer to confirm this payment, and it was not confirmed. The customer should try again on a payment page, where the bank can ask, or use another card.${unheard}`,
  ],
  [
    "refunded by a key, twice, and again",
    async ({ pay, refund }) => {
      const { id } = await pay();
      await refund(id, { key: "back-7" });
      await refund(id, { key: "back-7" });
      await refund(id);
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    `refunded by key test: The payment was refunded with the idempotency key back-7: 49.99 EUR goes back to the visa card ending in 4242.${unheard}`,
    "replayed by key test: The request to refund the payment came again with the idempotency key back-7, and got the stored answer: nothing was done twice.",
    "refused by key test: A request to refund the payment was refused: payment_already_refunded. The payment has been refunded before. It was not refunded again.",
  ],
  [
    "refunded by an operator",
    async ({ pay, service, scopeOf }) => {
      const { id } = await pay();
      await passMillisecond();
      await service.refundPayment(scopeOf("test"), id, undefined, {
        actor: grace,
        maxRefund: null,
      });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    `refunded by operator Grace: The payment was refunded: 49.99 EUR goes back to the visa card ending in 4242.${unheard}`,
  ],
  [
    "refunded slowly",
    async ({ pay, refund, settle }) => {
      const { id } = await pay({ number: "4000000000007726" });
      await refund(id);
      await settle();
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 7726.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 7726.${unheard}`,
    "refund_requested by key test: A refund of 49.99 EUR was asked of the card network.",
    `refunded by service: The payment was refunded: 49.99 EUR goes back to the visa card ending in 7726.${unheard}`,
  ],
  [
    "whose refund was declined",
    async ({ pay, refund }) => {
      const { id } = await pay({ number: "4000000000005126" });
      await refund(id);
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 5126.",
    `succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 5126.${unheard}`,
    "refused by key test: A request to refund the payment was refused: refund_declined. The card network declined the refund. The payment stays succeeded; no money was given back.",
  ],
  [
    "with requests that were refused, of which a read is not told",
    async ({ pay, refund, send }) => {
      const { id } = await pay({ number: "4000000000009995" });
      await refund(id);
      await send({ method: "GET", path: `/v1/payments/${id}?expand=card` });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 9995.",
    "refused by key test: A request to refund the payment was refused: payment_not_refundable. The payment is pending or failed; only a succeeded payment can be refunded.",
    "due settlement: The card network has not decided yet: it is asked what became of the payment.",
  ],
];

const atNetwork: typeof simulated = [
  [
    "undecided at the network",
    async ({ pay, fake }) => {
      fake?.steps.charge.push(unreached);
      return { id: (await pay({ mode: "live" })).id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "due settlement: The card network has not decided yet: it is asked again what became of the payment, after one call without an answer.",
  ],
  [
    "decided by the network later",
    async ({ pay, fake, settle, later }) => {
      fake?.steps.charge.push((decide) => (decide(), unreached()));
      const { id } = await pay({ mode: "live" });
      await later(settle);
      return { id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by network https://adapter.test: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
  ],
  [
    "declined by the network",
    async ({ pay, fake }) => {
      fake?.steps.charge.push((decide) => decide(declined));
      return { id: (await pay({ mode: "live", key: "order-8" })).id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242 with the idempotency key order-8.",
    `failed by network https://adapter.test: The payment failed with insufficient_funds. The card has insufficient funds to complete this payment. The customer should use another card, or try again later.${unheard}`,
  ],
  [
    "confirmed at the bank, as the network says",
    async ({ open, fake }) => {
      fake?.steps.charge.push((decide) => decide(action));
      const page = await open("live");
      await page.submit("", visa);
      await passMillisecond();
      fake?.steps.lookUp.push((decide) => decide({ outcome: "approved", reference: "ch_1" }));
      await page.visit("/return");
      return { id: page.id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created with a payment page that stays open for 2 hours.",
    "challenged by network https://adapter.test: The bank asked the customer to confirm the payment (3-D Secure).",
    "challenge_ended by customer Ada: The customer confirmed the payment at the bank.",
    `succeeded by customer Ada: The customer paid 49.99 EUR on the payment page with the visa card ending in 4242: the payment succeeded.${unheard}`,
  ],
  [
    "refunded by the network",
    async ({ pay, refund }) => {
      const { id } = await pay({ mode: "live" });
      await refund(id, { mode: "live", key: "back-8" });
      return { id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by network https://adapter.test: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    "refund_requested by key test: A refund of 49.99 EUR was asked of the card network with the idempotency key back-8.",
    `refunded by network https://adapter.test: The payment was refunded: 49.99 EUR goes back to the visa card ending in 4242.${unheard}`,
  ],
  [
    "whose refund is undecided",
    async ({ pay, refund, fake }) => {
      const { id } = await pay({ mode: "live" });
      fake?.steps.refund.push(unreached);
      await refund(id, { mode: "live" });
      return { id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by network https://adapter.test: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    "refund_requested by key test: A refund of 49.99 EUR was asked of the card network.",
    "refused by key test: A request to refund the payment had no outcome: service_unavailable. The store or the card network cannot be reached at the moment, or the service has more requests than it can take.",
    "due refund: The card network is asked again for the refund, after one call without an answer.",
  ],
  [
    "whose refund the network declined",
    async ({ pay, refund, fake }) => {
      const { id } = await pay({ mode: "live" });
      fake?.steps.refund.push((decide) => decide(declined));
      await refund(id, { mode: "live" });
      return { id, mode: "live" };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    `succeeded by network https://adapter.test: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.${unheard}`,
    "refund_requested by key test: A refund of 49.99 EUR was asked of the card network, which declined it.",
    "refused by key test: A request to refund the payment was refused: refund_declined. The card network declined the refund. The payment stays succeeded; no money was given back.",
  ],
];

const notified: typeof simulated = [
  [
    "delivered",
    async ({ pay, deliver }) => {
      const { id } = await pay();
      await deliver();
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivered: payment.succeeded was delivered to https://shop.example/hooks?…, which answered 200.",
  ],
  [
    "delivered at the third try",
    async ({ pay, deliver, answers }) => {
      answers.push(
        failed(503, "the endpoint answered 503"),
        failed(null, "the connection was refused"),
      );
      const { id } = await pay();
      await deliver();
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…, which answered 503.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…: the connection was refused.",
    "delivered: payment.succeeded was delivered to https://shop.example/hooks?…, which answered 200.",
  ],
  [
    "given up, and resent",
    async ({ pay, deliver, answers, send, story }) => {
      for (let i = 0; i < 3; i++) answers.push(failed(500, "the endpoint answered 500"));
      const { id } = await pay();
      await deliver();
      const event = (await story(id)).data.find(({ kind }) => kind === "succeeded")?.event;
      const path = `/v1/events/${event}/resend`;
      await send({ path, body: {}, headers: { "idempotency-key": "resend-7" } });
      await deliver();
      await send({ path, body: { endpoint: "we_x" } });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…, which answered 500.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…, which answered 500.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…, which answered 500; it is not tried again.",
    "resent by key test: payment.succeeded was sent again to https://shop.example/hooks?… with the idempotency key resend-7.",
    "delivered: payment.succeeded was delivered to https://shop.example/hooks?…, which answered 200.",
    "refused by key test: A request to send an event again was refused: resource_missing. Nothing of this kind in this account and mode has this id.",
  ],
  [
    "to be tried again",
    async ({ pay, deliver, answers }) => {
      answers.push({ ...failed(503, "the endpoint answered 503"), retryAfterMs: 60_000 });
      const { id } = await pay();
      await deliver();
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…, which answered 503.",
    "due delivery: payment.succeeded is sent to https://shop.example/hooks?… again.",
  ],
  [
    "to be delivered",
    async ({ pay }) => pay(),
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "due delivery: payment.succeeded is sent to https://shop.example/hooks?….",
  ],
  [
    "not delivered, because its endpoint was disabled",
    async ({ pay, send, endpoint }) => {
      const { id } = await pay();
      await send({ path: endpoint.path, body: { status: "disabled" } });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivery_failed: payment.succeeded was not delivered to https://shop.example/hooks?…: the endpoint was disabled; it is not tried again.",
  ],
  [
    "recovered",
    async ({ pay, send, endpoint: { path }, deliver, later }) => {
      await send({ path, body: { status: "enabled" } });
      const { id, created } = await pay();
      await send({ path, body: { status: "disabled" } });
      await send({ path, body: { status: "enabled" } });
      await later(async () => {
        await send({ path: `${path}/recover`, body: { since: created } });
        await deliver();
      });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "resent: payment.succeeded was queued again for https://shop.example/hooks?…, with all that it had missed.",
    "delivered: payment.succeeded was delivered to https://shop.example/hooks?…, which answered 200.",
  ],
  [
    "delivered to an endpoint that was deleted",
    async ({ pay, send, endpoint: { path }, deliver }) => {
      const { id } = await pay();
      await deliver();
      await send({ method: "DELETE", path });
      return { id };
    },
    "created by key test: The payment of 49.99 EUR was created for the visa card ending in 4242.",
    "succeeded by service: The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    "delivered: payment.succeeded was delivered to an endpoint that was deleted, which answered 200.",
  ],
];

describe.each([
  ["the simulator", () => openShop(), simulated],
  ["a network that moves money", () => openShop(fakeNetwork()), atNetwork],
  [
    "the simulator, with an endpoint",
    async () => {
      const shop = await openShop();
      await shop.subscribe();
      return shop;
    },
    notified,
  ],
] as const)("with %s", (_, opening, cases) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await opening();
  });
  afterAll(async () => shop.close());

  test.each(cases)("a payment that was %s", async (__, go, ...story) => {
    const { id, mode } = await go(shop);
    const told = await shop.story(id, mode);
    expect(read(told)).toEqual(story);
  });
});

test("a payment's history has nothing secret, and is told without a log of requests", async () => {
  const shop = await openShop(undefined);
  await shop.subscribe();
  const page = await shop.open();
  // Tries are stored in whole seconds. Delivered now, this one stands before the failure in whatever second that comes.
  await shop.deliver();
  const paid = await shop.pay({ number: canaryCard.number, mode: "live", key: "order-9" });
  const body = { amount: 4999, currency: "eur", card: canaryCard, description: canaryKey };
  await shop.send({ body, headers: { "idempotency-key": "order-9" }, key: "live" });
  await shop.refund(paid.id, { mode: "live", key: canaryKey });
  await page.submit("", { ...visa, number: canaryCard.number });
  await shop.settle();
  await shop.deliver();
  const stories = [await shop.story(page.id), await shop.story(paid.id, "live")];
  expect(stories.map(({ data }) => data.map(({ kind }) => kind))).toEqual([
    ["created", "delivered", "failed", "delivered"],
    ["created", "succeeded", "refused", "refunded"],
  ]);
  const text = JSON.stringify(stories);
  expect(leaksIn(text)).toEqual([]);
  for (const secret of [page.path.split("/").at(-1), "secret-answer", "hidden", shop.keys.test]) {
    expect(text).not.toContain(secret);
  }
  await shop.service.store.purgeRequests(shop.scopeOf("live"), "req_g", 100);
  const { data } = await shop.service.getHistory(shop.scopeOf("live"), paid.id);
  expect(data.map(({ kind, by }) => [kind, by?.type])).toEqual([
    ["created", undefined],
    ["succeeded", "network"],
    ["refunded", "key"],
  ]);
  await shop.close();
});
