import { describe, expect, test } from "vitest";
import { parsePayment } from "../../testkit/database/records.ts";
import {
  hppExpiryMs,
  openPage,
  openTestService,
  startMs,
  startSeconds,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

describe("an unpaid page", () => {
  test("fails its payment when it expires, not before", async () => {
    const opened = await openTestService();
    const { token, created, payment } = await openPage(opened, opened.test);
    opened.time.nowMs = startMs + hppExpiryMs - 1;
    expect(await opened.service.settlePayments()).toBe(0);
    expect(await payment()).toMatchObject({ status: "pending" });
    opened.time.nowMs += 1;
    expect(await opened.service.settlePayments()).toBe(1);
    expect(await payment()).toEqual({
      ...created,
      status: "failed",
      decline_code: "hpp_expired",
      decline_message: "The payment page expired before the customer paid.",
      failed_at: startSeconds + hppExpiryMs / 1000,
    });
    expect(await opened.service.findPage(token)).toMatchObject({ state: "expired" });
    expect(await opened.service.settlePayments()).toBe(0);
  });

  test("expires in both modes, in several batches", async () => {
    const opened = await openTestService();
    for (let i = 0; i < 60; i++) {
      await openPage(opened, opened.test);
      await openPage(opened, opened.live);
    }
    opened.time.nowMs += hppExpiryMs;
    expect(await opened.service.settlePayments()).toBe(100);
    expect(await opened.service.settlePayments()).toBe(20);
    for (const scope of [opened.test, opened.live]) {
      const pending = await opened.service.listPayments(scope, { status: "pending" });
      expect(pending.items).toEqual([]);
    }
  });

  test("is expired once by several replicas", async () => {
    const first = await openTestService();
    const second = await openTestService({ store: first.store });
    const { payment } = await openPage(first, first.test);
    first.time.nowMs += hppExpiryMs;
    second.time.nowMs += hppExpiryMs + 9_000;
    await Promise.all(
      [first, second, first, second].map(async (each) => each.service.settlePayments()),
    );
    const ended = await payment();
    const expectedAt = startSeconds + hppExpiryMs / 1000;
    expect([0, 9]).toContain((ended.failed_at ?? 0) - expectedAt); // the time of the replica that came first
    for (const { service } of [first, second]) expect(await service.settlePayments()).toBe(0);
    expect(await payment()).toEqual(ended);
  });

  test("is shown as expired while it is leased", async () => {
    const opened = await openTestService();
    const { token, created, state } = await openPage(opened, opened.test);
    opened.time.nowMs += hppExpiryMs;
    const nowMs = opened.time.nowMs;
    await opened.store.leaseExpiredPages({ nowMs, untilMs: nowMs + 2_000, limit: 10 });
    expect(await state()).toBe("expired");
    expect(await opened.service.cancelPage(token)).toBe("gone");
    expect(await opened.service.payPage(token, typedVisa)).toEqual({ outcome: "gone" });
    expect(await opened.service.settlePayments()).toBe(0);
    opened.time.nowMs += 2_000; // the lease has expired
    expect(await opened.service.settlePayments()).toBe(1);
    const { items: payments } = await opened.service.listPayments(opened.test, {
      status: "failed",
    });
    expect(payments.map((json) => parsePayment(json).id)).toEqual([created.id]);
  });
});
