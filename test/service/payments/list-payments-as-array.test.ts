import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentStatuses } from "../../../src/contract/payment-values.ts";
import { paymentIn } from "../../testkit/payment-in.ts";
import { openTestService, startMs, startSeconds } from "../../testkit/service/open-test-service.ts";
import type { Listed } from "../../../src/service/domain/list-range.ts";
import { parsedPayment } from "../../testkit/database/read.ts";
import { writeOf } from "../store/contract/writes.ts";

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
  return { payments: items.map(parsedPayment), hasMore };
}
