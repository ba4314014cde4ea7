import { describe, expect, test } from "vitest";
import type { Mode } from "../../../../src/contract/key.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import { cardWith } from "../../../testkit/create-payment-body.ts";
import { declined, fakeNetwork } from "../../../testkit/network/fake-network.ts";
import { openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

describe("a payment's page", () => {
  test("has every field, and what others wrote as text", async () => {
    const { signIn, at, pay } = await openDashboard();
    const { id } = await pay({
      description: `<script>alert("d")</script>`,
      customer: { email: "ada@example.com", first_name: "<i>Ada</i>" },
      metadata: { '"><b>key': "</dd><svg onload=alert(1)>", __proto__x: "1" },
    });
    const { get } = await signIn("viewer");
    const answer = await get(at(`/payments/${id}`));
    expect(answer.status).toBe(200);
    const said = saidIn(answer);
    for (const each of [
      "49.99 EUR",
      "succeeded",
      id,
      "ada@example.com",
      "Visa •••• 4242",
      "12 / 2030",
    ]) {
      expect(said).toContain(each);
    }
    expect(answer.text).toContain("&lt;i&gt;Ada");
    expect(answer.text).toContain("&lt;svg onload");
    expect(answer.text.match(/<script/g)).toHaveLength(1);
    expect(answer.text).not.toMatch(/<svg|<i>|<b>/);
    expect(said).not.toContain("Refund…");
  });

  test("has its events in order, and what each endpoint was told of them", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const scope = { accountId, livemode: false };
    const url = "https://shop.example/<hooks>?token=secret";
    await service.createEndpoint(scope, { url });
    const { id } = await pay();
    await service.refundPayment(scope, id);
    const { get } = await signIn();
    const page = await get(at(`/payments/${id}`));
    expect(saidIn(page)).toMatch(
      /first delivery to each.*payment\.succeeded.*hooks.*not asked yet.*payment\.refunded.*hooks/,
    );
    expect(page.text).not.toContain("token=secret");
  });

  test("says of a delivery that failed before any try why it did", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const scope = { accountId, livemode: false };
    const answer = await service.createEndpoint(scope, { url: "https://shop.example/hooks" });
    const endpoint = JSON.parse(answer.body) as { id: string };
    const { id } = await pay();
    const { get } = await signIn();
    const pages = [at(`/payments/${id}`), at(`/webhooks/${endpoint.id}`)];
    for (const page of pages) expect(saidIn(await get(page))).toContain("pending not asked yet 0");
    await service.updateEndpoint(scope, { id: endpoint.id, body: { status: "disabled" } });
    for (const page of pages) {
      expect(saidIn(await get(page))).toContain("failed The endpoint was disabled. 0");
    }
  });

  test("leads to its endpoints those who may see them", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const asked = { url: "https://shop.example/hooks" };
    const answer = await service.createEndpoint({ accountId, livemode: false }, asked);
    const endpoint = JSON.parse(answer.body) as { id: string };
    const { id } = await pay();
    for (const role of ["admin", "support"] as const) {
      const { get } = await signIn(role);
      const { text } = await get(at(`/payments/${id}`));
      expect(text.includes(`href="${at(`/webhooks/${endpoint.id}`)}"`)).toBe(role === "admin");
    }
  });

  test("says why it was declined", async () => {
    const { signIn, at, pay, service } = await openDashboard();
    const { id } = await pay({ card: cardWith({ number: "4000000000009995" }) });
    await service.settlePayments();
    const { get } = await signIn();
    expect(saidIn(await get(at(`/payments/${id}`)))).toContain(
      "insufficient_funds The card has insufficient funds",
    );
  });

  test("says whether its own page is open, and never its address, by which anybody could cancel it", async () => {
    const { signIn, at, call, submit } = await openDashboard();
    const body = { amount: 4999, currency: "eur" };
    const answer = await call({ method: "POST", path: "/v1/payments/hpp", body });
    const { id, redirect_url: address } = JSON.parse(answer.text) as Payment;
    const { pathname } = new URL(address ?? "");
    const { get } = await signIn("admin");
    const open = await get(at(`/payments/${id}`));
    expect(saidIn(open)).toContain("Payment page open, for the customer to pay");
    expect((await submit(`${pathname}/cancel`)).status).toBe(303);
    const closed = await get(at(`/payments/${id}`));
    expect(saidIn(closed)).toContain("Payment page closed");
    for (const { text } of [open, closed]) expect(text).not.toContain(pathname.split("/").at(-1));
  });

  test("is not found in another mode or account, nor where there is none", async () => {
    const { signIn, at, pay, service, accountId } = await openDashboard();
    const other = await service.createAccount({ name: "Other" });
    const { id } = await pay();
    const { get, post } = await signIn("admin", { accounts: [accountId, other.id] });
    for (const path of [`/payments/${id}`, `/payments/${id}/refund`]) {
      for (const page of [at(path, "live"), at(path, "test", other.id)]) {
        expect((await get(page)).status).toBe(404);
      }
    }
    const asked = { key: "k", amount: "49.99" };
    expect((await post(at(`/payments/${id}/refund`, "live"), asked)).status).toBe(404);
    expect((await get(at("/payments/x%00"))).status).toBe(404);
  });
});

/** A payment that succeeded, and an operator who may refund it. */
async function openRefund(mode: Mode) {
  const opened = await openDashboard();
  const { signIn, at, pay, service, accountId } = opened;
  const scope = { accountId, livemode: mode === "live" };
  const { id } = await pay({}, mode);
  const { get, post, operatorId } = await signIn("support");
  const page = at(`/payments/${id}/refund`, mode);
  const key = async () => /name="key"\s+value="([^"]+)"/.exec((await get(page)).text)?.[1] ?? "";
  const status = async () => {
    const payment = JSON.parse(await service.getPayment(scope, id)) as { status: string };
    return payment.status;
  };
  const activity = async () => {
    const { items } = await service.listActivity(accountId, { limit: 100 });
    return items.filter(({ action }) => action === "payment.refunded");
  };
  return { ...opened, id, get, post, page, key, status, activity, operatorId };
}

describe("a refund", () => {
  test("is asked for again, made once by its form however often that is sent, and kept as the operator's", async () => {
    const { page, get, post, key, status, activity, operatorId, at, id } = await openRefund("test");
    const asks = saidIn(await get(page));
    expect(asks).toContain("The whole 49.99 EUR goes back to the card.");
    expect(await status()).toBe("succeeded");
    const form = { key: await key() };
    const answers = await Promise.all([post(page, form), post(page, form), post(page, form)]);
    for (const { status: answered, headers } of answers) {
      expect([answered, headers["location"]]).toEqual([303, at(`/payments/${id}?just=refunded`)]);
    }
    expect(await status()).toBe("refunded");
    expect(await activity()).toMatchObject([
      { actor: { type: "operator", id: operatorId }, subject: { id } },
    ]);
  });

  test("says of real money that it goes back where money moves, and not where none does", async () => {
    for (const [mode, says] of [
      ["test", "it is test data, and no money moves."],
      ["live", "the built-in simulator decides, and no money moves."],
    ] as const) {
      const { page, get } = await openRefund(mode);
      const asks = saidIn(await get(page));
      expect(asks).toContain(
        `The whole 49.99 EUR goes back to the card. This cannot be undone; ${says}`,
      );
      expect(asks).not.toContain("real money");
    }
    const { page, get } = await openElsewhere("live");
    expect(saidIn(await get(page))).toContain("The whole 49.99 EUR of real money goes back");
  });

  test("from a second tab says plainly that it was made before", async () => {
    const { page, get, post, key, activity } = await openRefund("test");
    const [one, other] = [await key(), await key()];
    expect((await post(page, { key: one })).status).toBe(303);
    const again = await post(page, { key: other });
    expect(again.status).toBe(422);
    expect(saidIn(again)).toContain("This payment was refunded before. It was not refunded again.");
    expect(again.text).not.toContain('class="dangerous"');
    const later = await get(page);
    expect(later.text).toContain("<h1>Refunded</h1>");
    expect(saidIn(later)).toContain("This payment was refunded, once, on");
    expect(await activity()).toHaveLength(1);
  });

  test.each([
    ["", 422],
    ["49.9", 422],
    ["4999", 422],
    ["49.99", 303],
    [" 49,99 eur ", 303],
  ])("of real money needs its amount: %j is answered %d", async (amount, answered) => {
    const { page, post, key, status } = await openRefund("live");
    const answer = await post(page, { key: await key(), amount });
    expect(answer.status).toBe(answered);
    expect(await status()).toBe(answered === 303 ? "refunded" : "succeeded");
    expect(saidIn(answer).includes("not the amount of the payment")).toBe(answered === 422);
  });

  test("is not made by a form that is not whole, or has more than it should", async () => {
    const { page, post, key, status } = await openRefund("test");
    expect((await post(page, {})).status).toBe(400);
    expect((await post(page, { key: await key(), extra: "1" })).status).toBe(400);
    expect(await status()).toBe("succeeded");
  });

  test("of a payment that has not succeeded is not offered", async () => {
    const { signIn, at, pay } = await openDashboard({ processingTimeMs: 60_000 });
    const { id } = await pay({ card: cardWith({ number: "4000000000009995" }) });
    const { get, post } = await signIn();
    const answer = await get(at(`/payments/${id}/refund`));
    expect(saidIn(answer)).toContain("This payment is pending.");
    expect(answer.text).not.toContain('class="dangerous"');
    expect((await post(at(`/payments/${id}/refund`), { key: "k" })).status).toBe(422);
  });

  test("says that it was made, to whoever made it and to nobody else", async () => {
    const { page, get, post, key, at, id } = await openRefund("test");
    const made = '<p class="notice good" role="status">49.99 EUR was refunded.</p>';
    expect((await get(at(`/payments/${id}?just=refunded`))).text).not.toContain(made);
    const { headers } = await post(page, { key: await key() });
    expect((await get(String(headers["location"]))).text).toContain(made);
    expect((await get(at(`/payments/${id}`))).text).not.toContain(made);
  });

  test("is on its way, and offered no more, while the network does not answer a first click or a second", async () => {
    const { fake, page, payment, get, post } = await openElsewhere();
    const answer = Promise.withResolvers<void>();
    fake.steps.refund.push(async (decide) => {
      await answer.promise;
      return decide();
    });
    const first = post(page, { key: "k" });
    await expect.poll(() => fake.asked.map(([operation]) => operation)).toContain("refund");
    for (const key of ["k", "of-another-tab"]) {
      const answered = await post(page, { key });
      expect(answered.status).toBe(202);
      expect(answered.text).toContain("<h1>The refund is on its way</h1>");
      expect(answered.text).not.toContain('class="dangerous"');
    }
    for (const path of [page, payment]) {
      const shown = await get(path);
      expect(saidIn(shown)).toContain("card network has been asked, and has not answered yet.");
      expect(shown.text).not.toMatch(/class="dangerous"|Refund…/);
    }
    answer.resolve();
    await first;
    expect(saidIn(await get(payment))).not.toContain("has not answered yet");
  });

  test("that was declined says so in the words of people, and is offered again", async () => {
    const { fake, page, post } = await openElsewhere();
    fake.steps.refund.push((decide) => decide(declined));
    const answer = await post(page, { key: "k" });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain("The card network declined the refund, and nothing was given");
    expect(answer.text).toContain('class="dangerous"');
  });

  test("of which the network cannot be asked says that nothing was refunded", async () => {
    const { fake, page, post } = await openElsewhere();
    fake.isFull = true;
    const answer = await post(page, { key: "k" });
    expect(answer.status).toBe(503);
    expect(saidIn(answer)).toContain("cannot be asked at the moment. Nothing was refunded.");
    expect(answer.text).toContain('value="k"');
    expect(saidIn(answer)).not.toContain("Idempotency-Key");
  });
});

/** A payment that a network took which moves money, with no timeouts for it, and its refund's page. */
async function openElsewhere(mode: Mode = "test") {
  const fake = fakeNetwork();
  const timeouts = { keyMs: 0, refundMs: 0 };
  const { signIn, at, pay } = await openDashboard({ network: () => fake.network, timeouts });
  const { id } = await pay({}, mode);
  const payment = at(`/payments/${id}`, mode);
  return { fake, payment, page: `${payment}/refund`, ...(await signIn("support")) };
}
