import { describe, expect, test } from "vitest";
import {
  hppExpiryMs,
  openNewStore,
  openPage,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const dayMs = 24 * 60 * 60 * 1000;

describe("a page shows", () => {
  test("its payment and return URL while it is open", async () => {
    const opened = await openTestService();
    const return_url = "https://shop.example/thanks";
    const { token, created } = await openPage(opened, opened.test, { return_url });
    expect(await opened.service.findPage(token)).toEqual({
      state: "open",
      nowMs: opened.time.nowMs,
      token,
      payment: created,
      merchant: null,
      declineCode: null,
      returnUrl: return_url,
      challengeUrl: null,
      wasChallenged: false,
    });
  });

  test("the merchant, once the account has a name of its own", async () => {
    const opened = await openTestService();
    const { token } = await openPage(opened, opened.test);
    expect(await opened.service.findPage(token)).toMatchObject({ merchant: null });
    await opened.service.renameAccount(opened.test.accountId, "Books & Co");
    expect(await opened.service.findPage(token)).toMatchObject({ merchant: "Books & Co" });
    const attempt = await opened.service.payPage(token, { ...typedVisa, number: "1" });
    expect(attempt).toMatchObject({ outcome: "mistakes", page: { merchant: "Books & Co" } });
    await opened.service.payPage(token, typedVisa);
    expect(await opened.service.findPage(token)).toMatchObject({ merchant: "Books & Co" });
  });

  test("no decline where it was paid, and that the customer canceled it", async () => {
    const opened = await openTestService();
    const [paid, canceled] = [
      await openPage(opened, opened.test),
      await openPage(opened, opened.test),
    ];
    await opened.service.payPage(paid.token, typedVisa);
    await opened.service.cancelPage(canceled.token);
    expect(await opened.service.findPage(paid.token)).toMatchObject({
      state: "paid",
      returnUrl: null,
      declineCode: null,
    });
    expect(await opened.service.findPage(canceled.token)).toMatchObject({
      state: "canceled",
      returnUrl: null,
      declineCode: "customer_canceled",
    });
  });

  test("that it has expired, also before its payment has failed", async () => {
    const opened = await openTestService();
    const { token } = await openPage(opened, opened.test);
    opened.time.nowMs += hppExpiryMs;
    for (const declineCode of [null, "hpp_expired"]) {
      expect(await opened.service.findPage(token)).toMatchObject({ state: "expired", declineCode });
      await opened.service.settlePayments();
    }
  });
});

test("an unknown and a malformed token, and one that expired a day ago are all gone, each after one read of the store", async () => {
  const real = await openNewStore();
  const tokensRead: string[] = [];
  const store: typeof real = {
    ...real,
    findPage: async (token) => {
      tokensRead.push(token);
      return await real.findPage(token);
    },
  };
  const opened = await openTestService({ store });
  const { token } = await openPage(opened, opened.test);
  opened.time.nowMs += hppExpiryMs + dayMs;
  const tokens = ["0".repeat(32), "", "%00", "a\0b", "ä", "x".repeat(10_000), token];
  for (const each of tokens) expect(await opened.service.findPage(each)).toEqual({ state: "gone" });
  expect(tokensRead).toHaveLength(tokens.length);
  for (const each of tokensRead) expect(each).toMatch(/^[0-9A-Za-z-]{1,64}$/);
});
