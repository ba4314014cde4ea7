import { describe, expect, test } from "vitest";
import {
  hppExpiryMs,
  openPage,
  openTestService,
  startSeconds,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

describe("canceling on a page", () => {
  test("ends the payment as canceled by its customer", async () => {
    const opened = await openTestService();
    const { token, created, payment, state } = await openPage(opened, opened.test);
    opened.time.nowMs += 7_000;
    expect(await opened.service.cancelPage(token)).toBe("closed");
    expect(await payment()).toEqual({
      ...created,
      status: "failed",
      decline_code: "customer_canceled",
      decline_message: "The customer canceled the payment.",
      failed_at: startSeconds + 7,
    });
    expect(await state()).toBe("canceled");
  });

  test("twice has the effect of once", async () => {
    const opened = await openTestService();
    const { token, payment } = await openPage(opened, opened.test);
    await opened.service.cancelPage(token);
    const canceled = await payment();
    opened.time.nowMs += 1_000;
    expect(await opened.service.cancelPage(token)).toBe("closed");
    expect(await payment()).toEqual(canceled);
  });

  test.each(["4242424242424242", "4000000000000002"])(
    "after a payment with %s changes nothing",
    async (number) => {
      const opened = await openTestService();
      const { token, payment } = await openPage(opened, opened.test);
      await opened.service.payPage(token, { ...typedVisa, number });
      const paid = await payment();
      expect(await opened.service.cancelPage(token)).toBe("closed");
      expect(await payment()).toEqual(paid);
    },
  );

  test("an unknown or expired page is gone", async () => {
    const opened = await openTestService();
    const { token, created, payment } = await openPage(opened, opened.test);
    expect(await opened.service.cancelPage("unknown")).toBe("gone");
    opened.time.nowMs += hppExpiryMs;
    expect(await opened.service.cancelPage(token)).toBe("gone");
    expect(await payment()).toEqual(created);
  });
});
