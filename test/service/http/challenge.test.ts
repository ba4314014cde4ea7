import { describe, expect, test } from "vitest";
import {
  action,
  bankUrl,
  openAppWithBank,
  openAppWithCustomer,
  saidIn,
  visa,
} from "../../testkit/app/customer.ts";

const asked = { ...visa, number: "4000002760003184" };
const approved = { outcome: "approved", reference: "ch_1" } as const;
const return_url = "https://shop.example/thanks?order=7";

describe("the page of a customer whom the bank asks", () => {
  test("leads to the bank by a link and by itself, and offers to cancel", async () => {
    const { sendToBank, visit } = await openAppWithBank();
    const { path } = await sendToBank();
    const page = await visit(path);
    expect(page.status).toBe(200);
    expect(page.headers["refresh"]).toBe(`2; url=${bankUrl}`);
    expect(page.text).toContain(`href="${bankUrl}"`);
    expect(page.text).toContain(`action="${path}/cancel"`);
  });

  test("is not stored by a browser or a proxy, and sends the bank no address", async () => {
    const { sendToBank, visit } = await openAppWithBank();
    const { path } = await sendToBank();
    for (const answer of [await visit(path), await visit(`${path}/return`)]) {
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(answer.headers["referrer-policy"]).toBe("no-referrer");
      expect(answer.headers["content-security-policy"]).toContain("form-action 'self'");
    }
  });

  test("shows after cancel that the payment is canceled", async () => {
    const { sendToBank, submit, visit } = await openAppWithBank();
    const { path, payment } = await sendToBank();
    expect((await submit(`${path}/cancel`)).headers["location"]).toBe(path);
    const page = await visit(path);
    expect(page.headers["refresh"]).toBeUndefined();
    expect(page.text).toContain("Payment canceled");
    expect(page.text).not.toContain(bankUrl);
    expect(await payment()).toMatchObject({ decline_code: "customer_canceled" });
  });

  test("stands in no log, with nothing that the bank sends along", async () => {
    const { sendToBank, comeBack, visit, settleCharges, logged } = await openAppWithBank();
    const { path } = await sendToBank();
    await visit(path);
    await visit(`${path}/return?payment_intent_client_secret=bank-secret&x=bank-secret`);
    await settleCharges();
    await comeBack(path, approved);
    expect(logged.length).toBeGreaterThan(3);
    expect(JSON.stringify(logged)).not.toMatch(/bank-secret|bank\.test/);
    expect(JSON.stringify(logged)).not.toContain(path);
  });
});

describe("coming back from the bank", () => {
  test("shows the outcome, and the way back to the shop", async () => {
    const { submit, visit, create, fake } = await openAppWithBank();
    const { path, created } = await create({ return_url });
    fake.steps.charge.push((decide) => decide(action));
    await submit(path, visa);
    fake.steps.lookUp.push((decide) => decide(approved));
    const back = await visit(`${path}/return?anything=1`);
    expect([back.status, back.headers["location"]]).toEqual([303, path]);
    const page = await visit(path);
    const address = `${return_url}&payment_id=${created.id}&status=succeeded`;
    expect(page.text).toContain("Payment complete");
    expect(page.headers["refresh"]).toBe(`5; url=${address}`);
    expect((await visit(`${path}/return`)).headers["location"]).toBe(path);
  });

  test("before the bank has decided waits, and leads there by a link alone", async () => {
    const { sendToBank, visit } = await openAppWithBank();
    const { path } = await sendToBank();
    const page = await visit(`${path}/return`);
    expect(page.status).toBe(200);
    expect(page.headers["refresh"]).toBeUndefined();
    expect(page.text).toContain("Waiting for your bank");
    expect(page.text).toContain(`href="${bankUrl}"`);
    expect(page.text).toContain('<meta http-equiv="refresh" content="5"');
  });

  test("asks the network once a second, and nobody for HEAD or another method", async () => {
    const { sendToBank, visit, call, fake } = await openAppWithBank();
    const { path } = await sendToBank();
    const calls = fake.calls.length;
    for (const method of ["HEAD", "POST", "PUT", "DELETE"] as const) {
      const answer = await call({ method, path: `${path}/return`, key: null });
      expect(answer.status).toBe(method === "HEAD" ? 200 : 405);
    }
    expect(fake.calls).toHaveLength(calls);
    await Promise.all([1, 2, 3].map(async () => visit(`${path}/return`)));
    expect(fake.calls).toHaveLength(calls + 1);
  });

  test("proves nothing: a made-up return changes nothing", async () => {
    const { sendToBank, visit } = await openAppWithBank();
    const { path, payment } = await sendToBank();
    const before = await payment();
    for (const query of ["?outcome=approved", "?status=succeeded&redirect_status=succeeded", "?%"])
      expect((await visit(`${path}/return${query}`)).status).toBe(200);
    expect(await payment()).toEqual(before);
    expect((await visit("/pay/unknown/return")).status).toBe(404);
  });
});

async function openChallenge(key: "test" | "live" = "test") {
  const opened = await openAppWithCustomer();
  const page = await opened.create({ return_url }, key);
  await opened.submit(page.path, asked);
  return { ...opened, ...page, challenge: `${page.path}/challenge` };
}

describe("the challenge page of the simulator", () => {
  test.each(["test", "live"] as const)("asks the customer, in %s mode", async (key) => {
    const { visit, path, challenge } = await openChallenge(key);
    const page = await visit(path);
    expect(page.headers["refresh"]).toBe(`2; url=${challenge}`);
    const asking = await visit(challenge);
    expect(asking.status).toBe(200);
    expect(asking.text).toContain("Confirm the payment?");
    expect(asking.headers["cache-control"]).toBe("no-store");
  });

  test.each([
    ["approve", { status: "succeeded" }, "Payment complete"],
    ["decline", { decline_code: "authentication_required" }, "Payment declined"],
  ])("decides by its form, once: %s", async (decision, becomes, heading) => {
    const { visit, submit, path, payment, challenge } = await openChallenge();
    const answer = await submit(challenge, { decision });
    expect([answer.status, answer.headers["location"]]).toEqual([303, `${path}/return`]);
    expect((await visit(`${path}/return`)).headers["location"]).toBe(path);
    expect((await visit(path)).text).toContain(heading);
    await submit(challenge, { decision: decision === "approve" ? "decline" : "approve" });
    expect(await payment()).toMatchObject(becomes);
    expect((await visit(challenge)).headers["location"]).toBe(path);
  });

  test.each([
    ["no decision", {}],
    ["an unknown one", { decision: "maybe" }],
    ["two", "decision=approve&decision=decline"],
  ])("decides nothing by a form with %s", async (_, fields) => {
    const { submit, payment, challenge } = await openChallenge();
    expect((await submit(challenge, fields)).status).toBeLessThan(500);
    expect(await payment()).toMatchObject({ status: "pending" });
  });

  test("refuses a form of another site", async () => {
    const { submit, payment, challenge } = await openChallenge();
    const headers = { "sec-fetch-site": "cross-site" };
    const answer = await submit(challenge, { decision: "approve" }, { headers });
    expect(answer.status).toBe(403);
    expect(saidIn(answer)).toContain("refused");
    expect(await payment()).toMatchObject({ status: "pending" });
  });

  test("is none for a payment that is not at the bank, and 404 for an unknown one", async () => {
    const { visit, submit, create } = await openAppWithCustomer();
    const { path, payment } = await create();
    expect((await visit(`${path}/challenge`)).headers["location"]).toBe(path);
    await submit(`${path}/challenge`, { decision: "approve" });
    expect(await payment()).toMatchObject({ status: "pending", card: null });
    expect((await visit("/pay/unknown/challenge")).status).toBe(404);
    expect((await submit("/pay/unknown/challenge", { decision: "approve" })).status).toBe(404);
  });
});
