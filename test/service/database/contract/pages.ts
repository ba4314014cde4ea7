import * as fc from "fast-check";
import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import { paymentStatuses } from "../../../../src/contract/field-values.ts";
import { maxIdOf, toIdBound } from "../../../../src/service/database/ids.ts";
import { paymentIn, readPage } from "../../../testkit/database/records.ts";
import { atMs, liveScope, otherAccount, scope, writeOf } from "./writes.ts";

/** Times whose ids hold `aa`, which is a letter in some languages, and come after `z` there. */
const [fromMs, stepMs] = [Math.floor(atMs / 0x10000) * 0x10000, 0x888];

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

export function pagesContract(): void {
  describe("a page", () => {
    test("is the part of a sorted array between two bounds", async ({ store }) => {
      const all = Array.from({ length: 30 }, (_, i) =>
        paymentIn(paymentStatuses[(i * 7 + (i >> 2)) % 4] ?? "pending", fromMs + i * stepMs),
      );
      await Promise.all(all.map(async (payment) => store.createPayment(() => writeOf(payment))));
      all.reverse();

      const anyId = fc.constantFrom(...all.map(({ id }) => id));
      const anyTime = fc
        .integer({ min: -1, max: Math.ceil((30 * stepMs) / 1000) })
        .map((s) => toIdBound("pay_", Math.floor(fromMs / 1000) + s));
      const anyBound = fc.oneof(anyId, anyTime);
      const anyPage = fc.record({
        below: fc.oneof(anyBound, fc.constant(maxIdOf("pay_"))),
        above: fc.oneof(anyBound, fc.constant("")),
        statuses: optional(fc.subarray([...paymentStatuses], { minLength: 1 })),
        direction: fc.constantFrom("forward", "backward"),
        limit: fc.integer({ min: 1, max: 31 }),
      });
      await fc.assert(
        fc.asyncProperty(anyPage, async (page) => {
          const matching = all.filter(
            ({ id, status }) =>
              id < page.below && id > page.above && (page.statuses?.includes(status) ?? true),
          );
          expect(await readPage(store, scope, page)).toEqual({
            payments:
              page.direction === "forward"
                ? matching.slice(0, page.limit)
                : matching.slice(-page.limit),
            hasMore: matching.length > page.limit,
          });
        }),
        { numRuns: 200 },
      );
    });

    test("holds at most 1 MiB of payments, and says that there are more", async ({ store }) => {
      // Characters of two bytes: what counts is what leaves, not how many characters there are.
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [`key_${i}`, "é".repeat(500)]),
      );
      const all = Array.from({ length: 50 }, () => paymentIn("succeeded", atMs, { metadata }));
      for (const payment of all) await store.createPayment(() => writeOf(payment));
      all.reverse();
      const bytes = Buffer.byteLength(JSON.stringify(all[0]));
      const fitting = Math.floor((1024 * 1024) / bytes);
      expect(fitting).toBeLessThan(25);
      for (const statuses of [undefined, ["succeeded"], ["failed", "succeeded"]] as const) {
        for (const limit of [16, fitting - 1, fitting, fitting + 1, 100]) {
          const page = { statuses, limit } as const;
          const count = Math.min(limit, fitting);
          expect(
            await readPage(store, scope, {
              ...page,
              below: maxIdOf("pay_"),
              above: all[fitting + 1]?.id ?? "",
              direction: "forward",
            }),
          ).toEqual({ payments: all.slice(0, count), hasMore: count < fitting + 1 });
          expect(
            await readPage(store, scope, {
              ...page,
              below: all[48 - fitting]?.id ?? "",
              above: "",
              direction: "backward",
            }),
          ).toEqual({ payments: all.slice(-count), hasMore: count < fitting + 1 });
        }
      }
      const exactly = {
        below: maxIdOf("pay_"),
        above: all[fitting]?.id ?? "",
      };
      const whole = await readPage(store, scope, { ...exactly, limit: 100, direction: "forward" });
      expect(whole).toEqual({ payments: all.slice(0, fitting), hasMore: false });
    });

    test("has only the payments of one account and mode", async ({ store }) => {
      const scopes = [scope, liveScope, otherAccount];
      const created = scopes.flatMap((each) =>
        [1, 2].map(() => {
          const payment = paymentIn("succeeded", atMs, { livemode: each.livemode });
          return { each, payment };
        }),
      );
      for (const { each, payment } of created)
        await store.createPayment(() => writeOf(payment, { scope: each }));
      const page = { below: maxIdOf("pay_"), above: "", limit: 1 } as const;
      for (const of of scopes) {
        const own = created.filter(({ each }) => each === of).map(({ payment }) => payment);
        for (const statuses of [undefined, ["succeeded"], ["failed", "succeeded"]] as const) {
          const request = { ...page, statuses, direction: "forward" } as const;
          const newest = await readPage(store, of, request);
          expect(newest).toEqual({ payments: own.slice(1), hasMore: true });
          const last = await readPage(store, of, { ...request, below: own[1]?.id ?? "" });
          expect(last).toEqual({ payments: own.slice(0, 1), hasMore: false });
        }
      }
    });
  });
}
