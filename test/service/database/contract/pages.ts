import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import { maxIdOf } from "../../../../src/service/database/ids.ts";
import { paymentIn, readPage } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { atMs, liveScope, otherAccount, scope, writeOf } from "./writes.ts";

export function pagesContract(stores: OpenStores): void {
  describe("a page", () => {
    test("holds at most 1 MiB of payments, and says that there are more", async () => {
      const store = await (await stores()).open();
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
      for (const status of [undefined, "succeeded"] as const) {
        for (const limit of [16, fitting - 1, fitting, fitting + 1, 100]) {
          const page = { status, limit } as const;
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
        status: undefined,
      };
      const whole = await readPage(store, scope, { ...exactly, limit: 100, direction: "forward" });
      expect(whole).toEqual({ payments: all.slice(0, fitting), hasMore: false });
    });

    test("has only the payments of one account and mode", async () => {
      const store = await (await stores()).open();
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
        for (const status of [undefined, "succeeded"] as const) {
          const request = { ...page, status, direction: "forward" } as const;
          const newest = await readPage(store, of, request);
          expect(newest).toEqual({ payments: own.slice(1), hasMore: true });
          const last = await readPage(store, of, { ...request, below: own[1]?.id ?? "" });
          expect(last).toEqual({ payments: own.slice(0, 1), hasMore: false });
        }
      }
    });
  });
}
