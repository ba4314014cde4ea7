import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ListPaymentsQuery } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentStatuses } from "../../../src/contract/field-values.ts";
import type { Listed } from "../../../src/service/database/listing.ts";
import { nextId, parsePayment, paymentIn } from "../../testkit/database/records.ts";
import {
  openTestService,
  startMs,
  startSeconds,
  type TestService,
} from "../../testkit/service/open-test-service.ts";
import { writeOf } from "../database/contract/writes.ts";

async function list({ service, test: scope }: TestService, query: ListPaymentsQuery) {
  const { items: payments, hasMore } = await service.listPayments(scope, query);
  return { ids: payments.map((payment) => parsePayment(payment).id), hasMore };
}

describe("listing payments", () => {
  test("returns each payment as it is retrieved", async () => {
    const { pay, service, test: scope } = await openTestService();
    const { id } = await pay(scope);
    const { items: payments } = await service.listPayments(scope, {});
    expect(payments).toEqual([await service.getPayment(scope, id)]);
  });

  test("returns ten by default, and at most a hundred", async () => {
    const opened = await openTestService();
    for (let i = 0; i < 101; i++) await opened.pay(opened.test);
    const byDefault = await list(opened, {});
    expect([byDefault.ids.length, byDefault.hasMore]).toEqual([10, true]);
    const hundred = await list(opened, { limit: 100 });
    expect([hundred.ids.length, hundred.hasMore]).toEqual([100, true]);
  });

  test("returns an empty page without payments", async () => {
    const opened = await openTestService();
    expect(await list(opened, {})).toEqual({ ids: [], hasMore: false });
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
});

/** Every status, in no regular order. */
const statusOf = (i: number) => paymentStatuses[(i * 7 + (i >> 2)) % 4] ?? "pending";

const seconds = fc.option(fc.integer({ min: startSeconds - 1, max: startSeconds + 13 }), {
  nil: undefined,
});
const anyQuery = fc.record({
  status: fc.option(fc.constantFrom(...paymentStatuses), { nil: undefined }),
  gte: seconds,
  lt: seconds,
  limit: fc.integer({ min: 1, max: 12 }),
  cursor: fc.nat({ max: 39 }),
});

test("pages walked in both directions are those of a sorted and filtered array", async () => {
  const { service, store, test: scope } = await openTestService();
  const all = Array.from({ length: 40 }, (_, i) => paymentIn(statusOf(i), startMs + i * 300));
  for (const payment of all) {
    await store.createPayment(() => writeOf(payment, { scope }));
  }
  all.reverse();

  await fc.assert(
    fc.asyncProperty(anyQuery, async ({ status, gte, lt, limit, cursor }) => {
      const filter = { status, "created[gte]": gte, "created[lt]": lt, limit };
      const matches = (payment: Payment) =>
        (status === undefined || payment.status === status) &&
        (gte === undefined || payment.created >= gte) &&
        (lt === undefined || payment.created < lt);
      const start = all[cursor]?.id ?? "";
      const older = all.slice(cursor + 1).filter(matches);
      const newer = all.slice(0, cursor).filter(matches);

      const forward: Payment[] = [];
      for (let after = start, more = true; more;) {
        const page = pageOf(
          await service.listPayments(scope, { ...filter, starting_after: after }),
        );
        forward.push(...page.payments);
        expect(page.payments.length).toBeLessThanOrEqual(limit);
        expect(page.hasMore).toBe(forward.length < older.length);
        after = page.payments.at(-1)?.id ?? "";
        more = page.hasMore;
      }
      expect(forward).toEqual(older);

      const backward: Payment[] = [];
      for (let before = start, more = true; more;) {
        const page = pageOf(
          await service.listPayments(scope, { ...filter, ending_before: before }),
        );
        backward.unshift(...page.payments);
        expect(page.payments.length).toBeLessThanOrEqual(limit);
        expect(page.hasMore).toBe(backward.length < newer.length);
        before = page.payments[0]?.id ?? "";
        more = page.hasMore;
      }
      expect(backward).toEqual(newer);
    }),
    { numRuns: 200 },
  );
});

function pageOf({ items, hasMore }: Listed<string>): { payments: Payment[]; hasMore: boolean } {
  return { payments: items.map(parsePayment), hasMore };
}
