import { describe, expect, test } from "vitest";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import {
  blank,
  isPage,
  openAppWithCustomer,
  receiptOf,
  saidIn,
  plainView,
  closedView,
  visa,
} from "../../testkit/app/customer.ts";

const return_url = "https://shop.example/thanks?order=7";

describe("a customer", () => {
  test("sees the amount and the form", async () => {
    const { create, visit } = await openAppWithCustomer();
    const { path, created } = await create({ description: "Two books" });
    const answer = await visit(path);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`<code>${created.id}</code>`);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.headers["refresh"]).toBeUndefined();
    const actions = { action: path, cancelAction: `${path}/cancel` };
    const view = {
      state: "open",
      ...plainView,
      description: "Two books",
      ...actions,
      ...blank,
    } as const;
    expect(isPage(answer, view)).toBe(true);
  });

  test("pays, sees the receipt, and is redirected with the payment's id and status", async () => {
    const { create, visit, submit } = await openAppWithCustomer();
    const { created, path, payment } = await create({ return_url });
    const posted = await submit(path, visa);
    expect(posted).toMatchObject({ status: 303, text: "" });
    expect(posted.headers["location"]).toBe(path);
    const page = await visit(path);
    const receipt = receiptOf(await payment());
    const view = {
      state: "paid",
      ...plainView,
      ...closedView,
      receipt,
      returnTo: `${path}/return`,
    } as const;
    expect(isPage(page, view)).toBe(true);
    expect(page.headers["refresh"]).toBe(`5; url=${path}/return`);
    expect(await payment()).toMatchObject({
      status: "succeeded",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040 },
      customer: { name: "Ada" },
    });
    const back = await visit(`${path}/return`);
    expect(back).toMatchObject({ status: 303, text: "" });
    const address = `${return_url}&payment_id=${created.id}&status=succeeded`;
    expect(back.headers["location"]).toBe(address);
  });

  test("cancels, and stays on the page if there is no return URL", async () => {
    const { create, visit, submit } = await openAppWithCustomer();
    const { path, payment } = await create();
    const posted = await submit(`${path}/cancel`);
    expect(posted.status).toBe(303);
    expect(posted.headers["location"]).toBe(path);
    expect(await payment()).toMatchObject({
      status: "failed",
      decline_code: "customer_canceled",
    });
    const page = await visit(path);
    const view = {
      state: "canceled",
      ...plainView,
      ...closedView,
      declineCode: "customer_canceled",
      wasChargeRequested: false,
    } as const;
    expect(isPage(page, view)).toBe(true);
    expect(page.headers["refresh"]).toBeUndefined();
    expect((await visit(`${path}/return`)).headers["location"]).toBe(path);
  });
});

test("while the network is unavailable the customer gets the form with a notice that nothing was charged, and can retry", async () => {
  const fake = fakeNetwork();
  fake.isFull = true;
  const { create, submit, visit } = await openAppWithCustomer({ network: fake.networkOf });
  const { path, created, payment } = await create();
  const answer = await submit(path, visa);
  expect(answer.status).toBe(503);
  expect(answer.headers["retry-after"]).toBe("1");
  const actions = { action: path, cancelAction: `${path}/cancel` };
  const form = { ...blank, isBankBusy: true, prefill: { expiry: visa.expiry, name: visa.name } };
  expect(isPage(answer, { state: "open", ...plainView, ...actions, ...form })).toBe(true);
  expect(answer.text).toContain("You were not charged");
  expect(saidIn(answer)).not.toContain(visa.number);
  expect(await payment()).toEqual(created);
  expect((await visit(path)).status).toBe(200);
  expect(fake.calls).toEqual([]);
  fake.isFull = false;
  await submit(path, visa);
  expect(await payment()).toMatchObject({ status: "succeeded" });
  expect(fake.listCharged()).toEqual([created.id]);
});
