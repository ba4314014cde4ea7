import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Mode } from "../../../../src/contract/field-values.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import type { ChargeOutcome, Unknown } from "../../../../src/service/networks/card-network.ts";
import { cardWith } from "../../../testkit/api-objects.ts";
import { declined, fakeNetwork } from "../../../testkit/network/fake-network.ts";
import {
  findPaymentIds,
  formKeyOf,
  openDashboard,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

describe("a payment's page", () => {
  test("has every field, and a refund link for roles that may refund", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id } = await pay({ customer: { email: "ada@example.com" }, metadata: { order: "7" } });
    const { get } = await signIn("viewer");
    const text = textOf(await get(at(`/payments/${id}`)));
    for (const each of [
      "49.99 EUR",
      "succeeded",
      id,
      "ada@example.com",
      "Visa •••• 4242",
      "12/2030",
      "order 7",
    ]) {
      expect(text).toContain(each);
    }
    expect(text).not.toContain("Refund…");
    const support = await signIn("support");
    expect(textOf(await support.get(at(`/payments/${id}`)))).toContain("Refund…");
    for (const path of [`/payments/${id}`, `/payments/${id}/refund`]) {
      expect((await support.get(at(path, "live"))).status).toBe(404);
    }
    expect((await get(at("/payments/x%00"))).status).toBe(404);
  });

  test("links its email address, last four digits and metadata to the payments that share them", async () => {
    const { signIn, at, pay } = await openDashboard();
    const metadata = { "order & id": "7\n<8>", empty: "", ["k".repeat(40)]: "é" };
    const customer = { email: "Ada+1@example.com" };
    const { id } = await pay({ customer, metadata });
    const twin = await pay({ customer, metadata });
    await pay({ card: cardWith({ number: "5555555555554444" }), metadata: { empty: "1" } });
    const { get } = await signIn("viewer");
    const { text } = await get(at(`/payments/${id}`));
    const links = [...text.matchAll(/href="([^"]+)"\s+title="Payments with the same: ([^"]+)"/g)];
    expect(links.map(([, , name]) => name)).toEqual([
      "Customer email",
      "Card last four",
      "Metadata order &amp; id",
      "Metadata empty",
      `Metadata ${"k".repeat(40)}`,
    ]);
    for (const [, address = ""] of links) {
      expect(findPaymentIds(await get(address.replaceAll("&amp;", "&")))).toEqual([twin.id, id]);
    }
  });

  test("links no value that holds a card number, as payments of earlier versions may", async () => {
    const number = "4242424242424242";
    const { signIn, at, pay } = await openDashboard({
      store: (real) => ({
        ...real,
        findPayment: async (scope, id) =>
          (await real.findPayment(scope, id))?.replace("in-a-note", number),
      }),
    });
    const { id } = await pay({ metadata: { note: "in-a-note" } });
    const { get } = await signIn();
    const { text } = await get(at(`/payments/${id}`));
    expect(text).not.toMatch(new RegExp(`href="[^"]*${number}`));
    const titles = [...text.matchAll(/title="(Payments with the same: [^"]+)"/g)];
    expect(titles.map(([, title]) => title)).toEqual(["Payments with the same: Card last four"]);
  });

  test("has its history in order, with links to deliveries for admins", async () => {
    const { signIn, at, pay, service, accountId, createEndpoint } = await openDashboard();
    const { id: endpoint } = await createEndpoint({
      url: "https://shop.example/<hooks>?token=secret",
    });
    const { id } = await pay();
    const scope = { accountId, livemode: false };
    await delay(2); // the refund happens in a later millisecond than the first delivery is queued
    await service.refundPayment(scope, id);
    await service.updateEndpoint(scope, { id: endpoint, body: { status: "disabled" } });
    for (const role of ["admin", "support"] as const) {
      const { get } = await signIn(role);
      const page = await get(at(`/payments/${id}`));
      expect(textOf(page)).toMatch(
        /History Created .*Succeeded .*Delivery failed .*%3Chooks%3E\?…: the endpoint was disabled.*Refunded .*Delivery failed /,
      );
      expect(page.text).not.toContain("token=secret");
      expect(page.text.includes(`href="${at(`/webhooks/${endpoint}`)}/deliveries/`)).toBe(
        role === "admin",
      );
    }
  });

  test("says who made and refunded it, to roles that see requests", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const { id } = await pay();
    const grace = { type: "operator", id: "op_1", name: "Grace" } as const;
    const by = { actor: grace, maxRefund: null };
    await service.refundPayment({ accountId, livemode: false }, id, undefined, by);
    await service.flushRequests();
    const page = at(`/payments/${id}`);
    for (const role of ["admin", "support", "viewer"] as const) {
      const { get } = await signIn(role);
      const text = textOf(await get(page));
      const mayInspect = role !== "viewer";
      expect(/Created .*By the key test Request .*Refunded .*By Grace evt_/.test(text)).toBe(
        mayInspect,
      );
      expect(/Created .*Refunded .*49\.99 EUR goes back to the visa card/.test(text)).toBe(true);
      expect(text.includes("Grace") || text.includes("By the key")).toBe(mayInspect);
    }
  });

  test("has the reason of a delivery that failed before any attempt", async () => {
    const { signIn, at, pay, service, accountId, createEndpoint } = await openDashboard();
    const endpoint = await createEndpoint();
    const { id } = await pay();
    const { get } = await signIn();
    const pages = [at(`/payments/${id}`), at(`/webhooks/${endpoint.id}`)];
    const shown = async () => Promise.all(pages.map(async (page) => textOf(await get(page))));
    const [nextOf, waitingAt] = await shown();
    expect(nextOf).toMatch(/Next .{0,30}payment\.succeeded is sent to https/);
    expect(waitingAt).toMatch(/Pending .{0,30}Not sent yet .{0,25}0/);
    const disable = { id: endpoint.id, body: { status: "disabled" } } as const;
    await service.updateEndpoint({ accountId, livemode: false }, disable);
    const [told, failedAt] = await shown();
    expect(told).toMatch(
      /Delivery failed .*hooks: the endpoint was disabled; it is not tried again/,
    );
    expect(failedAt).toMatch(/Failed .{0,30}The endpoint was disabled\. 0/);
  });

  test("has the reason of a decline", async () => {
    const { signIn, at, pay, service } = await openDashboard();
    const { id } = await pay({ card: cardWith({ number: "4000000000009995" }) });
    await service.settlePayments();
    const { get } = await signIn();
    expect(textOf(await get(at(`/payments/${id}`)))).toContain(
      "The card has insufficient funds to complete this payment. insufficient_funds",
    );
  });

  test("says whether its checkout page is open, but not its address, which is enough to cancel it", async () => {
    const { signIn, at, call, submit } = await openDashboard();
    const body = { amount: 4999, currency: "eur" };
    const created = await call({ method: "POST", path: "/v1/payments/hpp", body });
    const { id, redirect_url: address } = JSON.parse(created.text) as Payment;
    const { pathname } = new URL(address ?? "");
    const { get } = await signIn("admin");
    const open = await get(at(`/payments/${id}`));
    expect(textOf(open)).toContain(
      "Payment page Open, for the customer to pay. Its link is withheld, because anyone who has it could pay or cancel.",
    );
    expect((await submit(`${pathname}/cancel`)).status).toBe(303);
    const closed = await get(at(`/payments/${id}`));
    expect(textOf(closed)).toMatch(/Payment page Closed\. (?!Its link)/);
    for (const { text } of [open, closed]) expect(text).not.toContain(pathname.split("/").at(-1));
  });
});

/** A payment whose page is open, and the pages about it. */
async function openHosted(mode: Mode = "test") {
  const opened = await openDashboard();
  const body = { amount: 4999, currency: "eur" };
  const created = await opened.call({
    method: "POST",
    path: "/v1/payments/hpp",
    body,
    key: mode,
  });
  const { id, redirect_url: address } = JSON.parse(created.text) as Payment;
  const payment = opened.at(`/payments/${id}`, mode);
  return { ...opened, payment, page: `${payment}/cancel`, path: new URL(address ?? "").pathname };
}

describe("a payment whose page is open", () => {
  test.each(["test", "live"] as const)(
    "in %s mode is canceled once by roles that may refund, even if the form is sent twice",
    async (mode) => {
      const { signIn, payment, page, listActions } = await openHosted(mode);
      const viewer = await signIn("viewer");
      expect(textOf(await viewer.get(payment))).not.toContain("Cancel…");
      expect((await viewer.get(page)).status).toBe(403);
      expect((await viewer.post(page, {})).status).toBe(403);
      const { get, post } = await signIn("support");
      expect((await get(payment)).text).toContain(`href="${page}"`);
      expect(textOf(await get(page))).toContain("The customer can no longer pay");
      for (const answer of await Promise.all([post(page, {}), post(page, {})])) {
        expect([answer.status, answer.headers["location"]]).toEqual([
          303,
          `${payment}?just=canceled`,
        ]);
      }
      const now = textOf(await get(`${payment}?just=canceled`));
      expect(now).toMatch(
        /The payment was canceled\..*The merchant canceled the payment\. canceled/,
      );
      expect(now).not.toContain("Cancel…");
      expect((await listActions()).filter((action) => action === "payment.canceled")).toHaveLength(
        1,
      );
    },
  );

  test("is not canceled after its customer was faster", async () => {
    const { signIn, payment, page, path, submit } = await openHosted();
    const { get, post } = await signIn("support");
    await submit(`${path}/cancel`);
    const answer = await post(page, {});
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("was not canceled: its page is no longer open");
    for (const { text } of [answer, await get(page)]) {
      expect(text).toContain("<h1>Nothing to cancel</h1>");
      expect(text).not.toContain('class="dangerous"');
    }
    expect(textOf(await get(payment))).not.toContain("Cancel…");
  });
});

const passTime = () => void vi.advanceTimersByTime(20_000);

describe("the page of a payment whose bank asks the customer", () => {
  const url = "https://bank.test/confirm?token=bank-secret";
  const action = { outcome: "action", reference: "ch_1", url, retryAfterMs: 60_000 } as const;
  const typed = { number: "4242424242424242", expiry: "12/40", cvc: "123", name: "Ada" };

  /** A payment with its page, whose customer pays with a network that answers as given. */
  async function openAtBank(answer: Exclude<ChargeOutcome, Unknown>, beforePaying = () => {}) {
    const fake = fakeNetwork();
    const opened = await openDashboard({ network: () => fake.network });
    const { call, submit, signIn, at } = opened;
    const body = { amount: 4999, currency: "eur" };
    const created = await call({ method: "POST", path: "/v1/payments/hpp", body });
    const { id, redirect_url: address } = JSON.parse(created.text) as Payment;
    const { pathname } = new URL(address ?? "");
    fake.steps.charge.push(async () => answer);
    beforePaying();
    await submit(pathname, typed);
    const { get } = await signIn("viewer");
    const page = async () => get(at(`/payments/${id}`));
    return { ...opened, fake, pathname, page, canceling: at(`/payments/${id}/cancel`) };
  }

  test("says since when, among its details and after its events, but never where", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { page, fake, visit, pathname } = await openAtBank(action, passTime);
    const since = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
    passTime();
    fake.steps.lookUp.push(() => action);
    await visit(`${pathname}/return`);
    const answer = await page();
    const text = textOf(answer);
    expect(text.match(/At the bank since \d/g)).toHaveLength(1);
    expect(answer.text.split(`datetime="${since}"`)).toHaveLength(3);
    expect(text).toMatch(/Payment page Open, for the customer to continue at the bank\. Its link/);
    expect(text).toMatch(/Created .*Challenged \d.*asked the customer to confirm .*Next /);
    expect(answer.text).not.toMatch(/bank\.test|bank-secret/);
    expect(answer.text).not.toContain(pathname.split("/").at(-1));
  });

  test.each([
    ["approved", { outcome: "approved", reference: "ch_1" }],
    ["declined", { outcome: "declined", code: "authentication_required" }],
    ["still processed", { outcome: "processing", retryAfterMs: 60_000 }],
  ] as const)("says nothing of it afterwards: %s", async (_, answer) => {
    const { page, fake, visit, pathname } = await openAtBank(action);
    fake.steps.lookUp.push(() => answer);
    await visit(`${pathname}/return`);
    const text = textOf(await page());
    expect(text).not.toContain("At the bank");
    expect(text).toContain("Payment page Closed");
    expect(text.includes("came back from the bank, which has not decided yet.")).toBe(
      answer.outcome === "processing",
    );
  });

  test("says that the bank has not answered, also where the payment would be canceled, if the bank never asks", async () => {
    const { page, signIn, canceling } = await openAtBank({
      outcome: "processing",
      retryAfterMs: 60_000,
    });
    const text = textOf(await page());
    expect(text).not.toContain("At the bank");
    expect(text).toMatch(/Created .*Next .*The card network has not decided yet/);
    expect(text).toMatch(/Payment page Closed, while the bank has not answered yet\. (?!Its link)/);
    const { get } = await signIn("support");
    expect(textOf(await get(canceling))).toContain(
      "The bank has not answered yet, so this payment cannot be canceled now. If it succeeds, it can be refunded.",
    );
  });
});

/** A payment that succeeded, and an operator on its refund page. */
async function openRefund(mode: Mode = "test") {
  const opened = await openDashboard();
  const { signIn, at, pay, service, accountId, listActions } = opened;
  const { id } = await pay({}, mode);
  const { get, post } = await signIn("support");
  const page = at(`/payments/${id}/refund`, mode);
  const scope = { accountId, livemode: mode === "live" };
  return {
    payment: at(`/payments/${id}`, mode),
    get,
    post,
    page,
    formKey: async () => formKeyOf(await get(page)),
    status: async () =>
      (JSON.parse(await service.getPayment(scope, id)) as { status: string }).status,
    countRefunds: async () =>
      (await listActions()).filter((action) => action === "payment.refunded").length,
  };
}

/** The same for a payment of a card network, with timeouts of 0. */
async function openNetworkRefund(mode: Mode = "test") {
  const fake = fakeNetwork();
  const timeouts = { keyMs: 0, refundMs: 0 };
  const { signIn, at, pay } = await openDashboard({ network: () => fake.network, timeouts });
  const { id } = await pay({}, mode);
  const payment = at(`/payments/${id}`, mode);
  return { fake, payment, page: `${payment}/refund`, ...(await signIn("support")) };
}

describe("a refund", () => {
  test("is confirmed, and made once even if its form is sent several times", async () => {
    const { page, payment, get, post, formKey, status, countRefunds } = await openRefund();
    const made = '<p class="notice good" role="status">49.99 EUR was refunded.</p>';
    const form = { key: await formKey() };
    expect((await get(`${payment}?just=refunded`)).text).not.toContain(made);
    for (const answer of await Promise.all([
      post(page, form),
      post(page, form),
      post(page, form),
    ])) {
      expect([answer.status, answer.headers["location"]]).toEqual([
        303,
        `${payment}?just=refunded`,
      ]);
    }
    expect(await status()).toBe("refunded");
    expect(await countRefunds()).toBe(1);
    expect((await get(`${payment}?just=refunded`)).text).toContain(made);
    expect((await get(payment)).text).not.toContain(made);
  });

  test.each([
    [openRefund, "test", "This cannot be undone; it is test data, and no money moves."],
    [openRefund, "live", "undone; the built-in simulator decides, and no money moves."],
    [openNetworkRefund, "live", "The whole 49.99 EUR of real money goes back to the card."],
  ] as const)("says whether money moves: %o in %s mode", async (open, mode, words) => {
    const { page, get } = await open(mode);
    const text = textOf(await get(page));
    expect(text).toContain(words);
    expect(text.includes("real money")).toBe(open === openNetworkRefund);
  });

  test("from a second tab is refused, because the payment is refunded already", async () => {
    const { page, get, post, formKey, countRefunds } = await openRefund();
    const [one, other] = [await formKey(), await formKey()];
    expect((await post(page, { key: one })).status).toBe(303);
    const second = await post(page, { key: other });
    expect(second.status).toBe(422);
    expect(textOf(second)).toContain(
      "This payment was refunded before. It was not refunded again.",
    );
    expect(second.text).not.toContain('class="dangerous"');
    const later = await get(page);
    expect(later.text).toContain("<h1>Refunded</h1>");
    expect(textOf(later)).toContain("This payment was refunded, once, on");
    expect(await countRefunds()).toBe(1);
  });

  test.each([
    ["", 422],
    ["49.9", 422],
    ["4999", 422],
    ["49.99", 303],
    [" 49,99 eur ", 303],
  ])("in live mode needs the amount: %j is answered %d", async (amount, status) => {
    const { page, post, formKey, status: readStatus } = await openRefund("live");
    const answer = await post(page, { key: await formKey(), amount });
    expect(answer.status).toBe(status);
    expect(await readStatus()).toBe(status === 303 ? "refunded" : "succeeded");
    expect(textOf(answer).includes("not the amount of the payment")).toBe(status === 422);
  });

  test("of a payment that has not succeeded is not offered", async () => {
    const { signIn, at, pay } = await openDashboard({ processingTimeMs: 60_000 });
    const { id } = await pay({ card: cardWith({ number: "4000000000009995" }) });
    const { get, post } = await signIn();
    const answer = await get(at(`/payments/${id}/refund`));
    expect(textOf(answer)).toContain("This payment is “Pending”.");
    expect(answer.text).not.toContain('class="dangerous"');
    expect((await post(at(`/payments/${id}/refund`), { key: "k" })).status).toBe(422);
  });

  test("is in progress, and not offered again, while the network does not answer", async () => {
    const { fake, page, payment, get, post } = await openNetworkRefund();
    const answer = Promise.withResolvers<void>();
    fake.steps.refund.push(async (decide) => {
      await answer.promise;
      return decide();
    });
    const first = post(page, { key: "k" });
    await expect.poll(() => fake.calls.map(([operation]) => operation)).toContain("refund");
    for (const key of ["k", "other-tab"]) {
      const inProgress = await post(page, { key });
      expect(inProgress.status).toBe(202);
      expect(inProgress.text).toContain("<h1>Refund in progress</h1>");
    }
    for (const path of [page, payment]) {
      const view = await get(path);
      expect(textOf(view)).toContain("card network has not responded yet.");
      expect(view.text).not.toMatch(/class="dangerous"|Refund…/);
    }
    answer.resolve();
    await first;
    expect(textOf(await get(payment))).not.toContain("has not responded yet");
  });

  test("that was declined can be retried", async () => {
    const { fake, page, post } = await openNetworkRefund();
    fake.steps.refund.push((decide) => decide(declined));
    const answer = await post(page, { key: "k" });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain("The card network declined the refund, and nothing was");
    expect(answer.text).toContain('class="dangerous"');
  });

  test("without a reachable network says that nothing was refunded", async () => {
    const { fake, page, post } = await openNetworkRefund();
    fake.isFull = true;
    const answer = await post(page, { key: "k" });
    expect(answer.status).toBe(503);
    expect(textOf(answer)).toContain("cannot be reached at the moment. Nothing was refunded.");
    expect(answer.text).toContain('value="k"');
    expect(textOf(answer)).not.toContain("Idempotency-Key");
  });
});
