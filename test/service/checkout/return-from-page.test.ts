import { describe, expect, test } from "vitest";
import {
  hppExpiryMs,
  openPage,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const dayMs = 24 * 60 * 60 * 1000;
const back = { asks: true };
const return_url = "https://shop.example/thanks?order=7";

describe("returning from a page", () => {
  test.each([
    ["4242424242424242", "succeeded"],
    ["4000000000000002", "failed"],
  ])("leads to the return URL with the payment's id and status: %s", async (number, status) => {
    const opened = await openTestService();
    const { token, created } = await openPage(opened, opened.test, { return_url });
    await opened.service.payPage(token, { ...typedVisa, number });
    await opened.settle();
    const address = `${return_url}&payment_id=${created.id}&status=${status}`;
    expect(await opened.service.returnFromPage(token, back)).toEqual({ address });
  });

  test("leads to the return URL as pending while the card is being processed", async () => {
    const opened = await openTestService();
    const { token, created } = await openPage(opened, opened.test, { return_url });
    await opened.service.payPage(token, { ...typedVisa, number: "4000000000000002" });
    const address = `${return_url}&payment_id=${created.id}&status=pending`;
    expect(await opened.service.returnFromPage(token, back)).toEqual({ address });
  });

  test("stays at a page that is still open", async () => {
    const opened = await openTestService();
    const { token } = await openPage(opened, opened.test, { return_url });
    expect(await opened.service.returnFromPage(token, back)).toBe("page");
  });

  test("stays at a page without a return URL", async () => {
    const opened = await openTestService();
    const { token } = await openPage(opened, opened.test);
    await opened.service.cancelPage(token);
    expect(await opened.service.returnFromPage(token, back)).toBe("page");
  });

  test("leads from an expired page to the return URL for a day", async () => {
    const opened = await openTestService();
    const { token, created } = await openPage(opened, opened.test, { return_url });
    opened.time.nowMs += hppExpiryMs;
    await opened.service.settlePayments();
    const address = `${return_url}&payment_id=${created.id}&status=failed`;
    expect(await opened.service.returnFromPage(token, back)).toEqual({ address });
    opened.time.nowMs += dayMs;
    expect(await opened.service.returnFromPage(token, back)).toBe("gone");
  });

  test("is gone from an unknown page", async () => {
    const { service } = await openTestService();
    expect(await service.returnFromPage("unknown", back)).toBe("gone");
  });
});
