import { describe, expect, test } from "vitest";
import type { ListPaymentsQuery } from "../../../src/contract/list-object.ts";
import { nextId } from "../../testkit/payment-in.ts";
import {
  declined,
  openTestService,
  startMs,
  startSeconds,
  type TestService,
} from "../../testkit/service/open-test-service.ts";
import { parsedPayment } from "../../testkit/database/read.ts";

/** Six payments of test mode, oldest first, two in each of three seconds; every other one failed. */
async function openWithSix() {
  const opened = await openTestService();
  const ids: string[] = [];
  for (const secondsLater of [0, 1, 2]) {
    opened.time.nowMs = startMs + secondsLater * 1_000;
    ids.push((await opened.pay(opened.test)).id);
    ids.push((await opened.pay(opened.test, declined)).id);
  }
  await opened.settle();
  const [a, b, c, d, e, f] = ids as [string, string, string, string, string, string];
  return { ...opened, a, b, c, d, e, f };
}

async function list({ service, test: scope }: TestService, query: ListPaymentsQuery) {
  const { items: payments, hasMore } = await service.listPayments(scope, query);
  return { ids: payments.map((payment) => parsedPayment(payment).id), hasMore };
}

describe("listing payments", () => {
  test("gives the newest first, also within a second", async () => {
    const { a, b, c, d, e, f, ...opened } = await openWithSix();
    expect(await list(opened, {})).toEqual({ ids: [f, e, d, c, b, a], hasMore: false });
  });

  test("gives each payment as it is retrieved", async () => {
    const { service, test: scope, a, b } = await openWithSix();
    const { items: payments } = await service.listPayments(scope, {});
    const retrieved = [await service.getPayment(scope, b), await service.getPayment(scope, a)];
    expect(payments.slice(-2)).toEqual(retrieved);
  });

  test("gives ten where no limit is asked for, and at most a hundred", async () => {
    const opened = await openTestService();
    for (let i = 0; i < 101; i++) await opened.pay(opened.test);
    const byDefault = await list(opened, {});
    expect([byDefault.ids.length, byDefault.hasMore]).toEqual([10, true]);
    const hundred = await list(opened, { limit: 100 });
    expect([hundred.ids.length, hundred.hasMore]).toEqual([100, true]);
  });

  test("gives an empty page where there is nothing", async () => {
    const opened = await openTestService();
    expect(await list(opened, {})).toEqual({ ids: [], hasMore: false });
  });

  test("goes on after a payment, until there is no more", async () => {
    const { b, c, d, e, a, f, ...opened } = await openWithSix();
    const after = async (id: string, limit: number) => list(opened, { starting_after: id, limit });
    expect(await after(f, 2)).toEqual({ ids: [e, d], hasMore: true });
    expect(await after(d, 2)).toEqual({ ids: [c, b], hasMore: true });
    expect(await after(c, 2)).toEqual({ ids: [b, a], hasMore: false });
    expect(await after(a, 2)).toEqual({ ids: [], hasMore: false });
  });

  test("goes back before a payment: the nearest ones, newest first", async () => {
    const { a, b, c, d, e, f, ...opened } = await openWithSix();
    const before = async (id: string, limit: number) => list(opened, { ending_before: id, limit });
    expect(await before(a, 2)).toEqual({ ids: [c, b], hasMore: true });
    expect(await before(c, 2)).toEqual({ ids: [e, d], hasMore: true });
    expect(await before(d, 2)).toEqual({ ids: [f, e], hasMore: false });
    expect(await before(f, 2)).toEqual({ ids: [], hasMore: false });
  });

  test("filters by status before it makes pages", async () => {
    const { a, b, c, d, e, f, ...opened } = await openWithSix();
    expect(await list(opened, { status: "failed", limit: 2 })).toEqual({
      ids: [f, d],
      hasMore: true,
    });
    expect(await list(opened, { status: "failed", limit: 2, starting_after: d })).toEqual({
      ids: [b],
      hasMore: false,
    });
    expect(await list(opened, { status: "succeeded", ending_before: a })).toEqual({
      ids: [e, c],
      hasMore: false,
    });
    expect(await list(opened, { status: "pending" })).toEqual({ ids: [], hasMore: false });
  });

  test("takes a cursor that does not match the filter", async () => {
    const { a, b, c, d, e, f, ...opened } = await openWithSix();
    expect((await list(opened, { status: "failed", starting_after: e })).ids).toEqual([d, b]);
    expect((await list(opened, { status: "failed", ending_before: c })).ids).toEqual([f, d]);
    const later = { "created[gte]": startSeconds + 1 };
    expect((await list(opened, { ...later, ending_before: a })).ids).toEqual([f, e, d, c]);
    const earlier = { "created[lt]": startSeconds + 1 };
    expect((await list(opened, { ...earlier, starting_after: f })).ids).toEqual([b, a]);
  });

  test("filters by creation from one second, included, to another, excluded", async () => {
    const { a, b, c, d, e, f, ...opened } = await openWithSix();
    const between = async (gte: number | undefined, lt: number | undefined) =>
      (await list(opened, { "created[gte]": gte, "created[lt]": lt })).ids;
    expect(await between(startSeconds + 1, undefined)).toEqual([f, e, d, c]);
    expect(await between(undefined, startSeconds + 1)).toEqual([b, a]);
    expect(await between(startSeconds + 1, startSeconds + 2)).toEqual([d, c]);
    expect(await between(0, Number.MAX_SAFE_INTEGER)).toEqual([f, e, d, c, b, a]);
  });

  test("gives an empty page for an empty range", async () => {
    const { a, f, ...opened } = await openWithSix();
    const range = { "created[gte]": startSeconds + 1, "created[lt]": startSeconds + 1 };
    const empty = { ids: [], hasMore: false };
    expect(await list(opened, range)).toEqual(empty);
    expect(await list(opened, { ...range, "created[gte]": startSeconds + 9 })).toEqual(empty);
    expect(await list(opened, { ...range, starting_after: f })).toEqual(empty);
    expect(await list(opened, { ...range, ending_before: a })).toEqual(empty);
  });

  test.each(["starting_after", "ending_before"])(
    "refuses %s where it names no payment of this mode",
    async (param) => {
      const opened = await openTestService();
      const { service, live, test: scope } = opened;
      const { id } = await opened.pay(live);
      const another = { accountId: "acct_2", livemode: true };
      const refusal = { name: "ServiceError", code: "parameter_invalid", param };
      for (const [asking, cursor] of [
        [scope, nextId(startMs)],
        [scope, "pay_unknown"],
        [scope, id],
        [another, id],
      ] as const) {
        const listed = service.listPayments(asking, { [param]: cursor });
        await expect(listed).rejects.toMatchObject(refusal);
      }
    },
  );

  test("never shows the payments of the other mode or of another account", async () => {
    const { pay, service, test: scope, live } = await openTestService();
    await pay(scope);
    const { id } = await pay(live);
    const { items: payments } = await service.listPayments(live, {});
    expect(payments.map((payment) => parsedPayment(payment).id)).toEqual([id]);
    const another = { accountId: "acct_2", livemode: true };
    expect((await service.listPayments(another, {})).items).toEqual([]);
  });
});
