import { describe, expect, test } from "vitest";
import { parsePayment } from "../../testkit/database/records.ts";
import {
  hostedBody,
  hppExpiryMs,
  openPage,
  openTestService,
  publicUrl,
  startMs,
  startSeconds,
  tokenOf,
} from "../../testkit/service/open-test-service.ts";

const request = { key: "k", fingerprint: "f" };

describe("creating a hosted payment", () => {
  test("answers 201 with a pending payment, without a card, and its page's address", async () => {
    const { service, test: scope } = await openTestService();
    const answer = await service.createHostedPayment(scope, {
      ...hostedBody,
      customer: { email: "ada@example.com", first_name: "Ada" },
      description: "Two books",
      metadata: { order: "7" },
      return_url: "https://shop.example/thanks",
    });
    expect(answer).toMatchObject({ status: 201, replayed: false });
    expect(JSON.parse(answer.body)).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-f-]{36}$/),
      object: "payment",
      amount: 4999,
      currency: "eur",
      status: "pending",
      description: "Two books",
      card: null,
      customer: { email: "ada@example.com", name: "Ada" },
      metadata: { order: "7" },
      decline_code: null,
      decline_message: null,
      redirect_url: expect.stringMatching(/^https:\/\/payments\.test\/pay\/[0-9A-Za-z]{32}$/),
      refunded_at: null,
      succeeded_at: null,
      failed_at: null,
      created: startSeconds,
      livemode: false,
    });
  });

  test.each([null, undefined])("treats %s in an optional field as absent", async (absent) => {
    const opened = await openTestService();
    const fields = { customer: absent, description: absent, metadata: absent, return_url: absent };
    const { created } = await openPage(opened, opened.test, fields);
    expect(created).toMatchObject({
      customer: { email: "", name: "" },
      description: null,
      metadata: {},
    });
  });

  test("opens a page until its expiry, with a random token", async () => {
    const opened = await openTestService();
    const [one, other] = [await openPage(opened, opened.test), await openPage(opened, opened.test)];
    expect(other.token).not.toBe(one.token);
    const found = await opened.store.findPage(one.token);
    expect(found?.page.openUntilMs).toBe(startMs + hppExpiryMs);
    expect(await one.state()).toBe("open");
  });

  test("is open for as long as its request says, whatever the service's own limit", async () => {
    const opened = await openTestService();
    const page = await openPage(opened, opened.test, { expires_in: 7200 });
    opened.time.nowMs += 7_200_000 - 1;
    expect(await opened.service.settlePayments()).toBe(0);
    expect(await page.state()).toBe("open");
    opened.time.nowMs += 1;
    expect(await opened.service.settlePayments()).toBe(1);
    expect(await page.payment()).toMatchObject({ decline_code: "hpp_expired" });
  });

  test("can be neither refunded nor settled before it was paid", async () => {
    const opened = await openTestService();
    const { created, payment } = await openPage(opened, opened.test);
    await expect(opened.service.refundPayment(opened.test, created.id)).rejects.toMatchObject({
      code: "payment_not_refundable",
    });
    expect(await opened.settle()).toBe(0);
    expect(await payment()).toEqual(created);
  });
});

test("an idempotency key creates one page for concurrent requests", async () => {
  const opened = await openTestService();
  const { service, test: scope } = opened;
  const answers = await Promise.all(
    [1, 2, 3].map(async () => service.createHostedPayment(scope, hostedBody, request)),
  );
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(answers.map(({ replayed }) => replayed)).toEqual([false, true, true]);
  expect((await service.listPayments(scope, {})).items).toHaveLength(1);
  const payment = parsePayment(answers[2]?.body ?? "");
  expect((await service.findPage(tokenOf(payment))).state).toBe("open");
});

describe("a service without an address", () => {
  test("creates no page, and says how to start a service that does", async () => {
    const opened = await openTestService({ publicUrl: () => undefined });
    await expect(openPage(opened, opened.test)).rejects.toMatchObject({
      code: "endpoint_not_found",
      message: expect.stringContaining("payments serve"),
    });
    expect((await opened.service.listPayments(opened.test, {})).items).toEqual([]);
  });

  test("still replays the response of a reachable one", async () => {
    const reachable = await openTestService();
    const { store } = reachable;
    const { created } = await openPage(reachable, reachable.test, {}, request);
    const opened = await openTestService({ store, publicUrl: () => undefined });
    const replay = await openPage(opened, opened.test, {}, request);
    expect(replay.created).toEqual(created);
    expect(replay.created.redirect_url).toContain(publicUrl);
  });
});
