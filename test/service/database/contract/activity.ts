import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { Activity } from "../../../../src/contract/administration.ts";
import { permissions } from "../../../../src/contract/field-values.ts";
import { refund, type Payment } from "../../../../src/service/payments/payment-state.ts";
import { toIdBound } from "../../../../src/service/database/ids.ts";
import type { Range } from "../../../../src/service/database/listing.ts";
import type { Store } from "../../../../src/service/service.ts";
import { newAccount, paymentIn } from "../../../testkit/database/records.ts";
import { endpointOf } from "./endpoints.ts";
import { atMs, moveOf, network, scope, storedCharge, writeOf } from "./writes.ts";

const range: Range = { below: "act_g", above: "", direction: "forward", limit: 10 };

/** An entry of a command on the account `acct_1`; its time is not read. */
export function activityOf(id: string, fields: Partial<Activity> = {}): Activity {
  return {
    id,
    object: "activity",
    account: "acct_1",
    livemode: null,
    actor: { type: "command", id: null, name: "root" },
    action: "account.renamed",
    subject: { id: "acct_1", name: "Books & Co" },
    detail: null,
    created: Number.NaN,
    ...fields,
  };
}

/** An id of a time in Unix seconds. */
const idAt = (seconds: number, end = "1") => `${toIdBound("act_", seconds)}-7000-8000-${end}`;

export async function idsOf(store: Store, which: Partial<Range> = {}, accountId = "acct_1") {
  const { items, hasMore } = await store.listActivity(accountId, { ...range, ...which });
  return { ids: items.map(({ id }) => id), hasMore };
}

async function record(store: Store, ...activity: Activity[]): Promise<void> {
  await store.insertAccount(newAccount({ id: "acct_9" }), activity);
}

export function activityContract(): void {
  const one = [activityOf("act_1")];

  describe("activity", () => {
    test("is listed as it was written", async ({ store }) => {
      const first = activityOf(idAt(1000), { created: 1000 });
      const second = activityOf(idAt(2000), {
        created: 2000,
        livemode: true,
        actor: { type: "operator", id: "op_1", name: "'; -- 😀" },
        action: "payment.refunded",
        subject: { id: "pay_1", name: null },
        detail: "admin",
      });
      await record(store, first, second);
      expect(await store.listActivity("acct_1", range)).toEqual({
        items: [second, first],
        hasMore: false,
      });
    });

    test("is listed by account, newest first in both directions, in pages", async ({ store }) => {
      const ids = ["act_1", "act_2", "act_3", "act_4"];
      const foreign = activityOf("act_5", { account: "acct_2" });
      await record(store, foreign, ...ids.map((id) => activityOf(id)));
      expect(await idsOf(store, { limit: 3 })).toEqual({
        ids: ["act_4", "act_3", "act_2"],
        hasMore: true,
      });
      expect(await idsOf(store, { below: "act_2" })).toEqual({ ids: ["act_1"], hasMore: false });
      const backward = { direction: "backward", above: "act_1" } as const;
      expect(await idsOf(store, { ...backward, limit: 2 })).toEqual({
        ids: ["act_3", "act_2"],
        hasMore: true,
      });
      expect(await idsOf(store, {}, "acct_2")).toMatchObject({ ids: ["act_5"] });
    });

    test("from before a time is purged, up to a limit", async ({ store }) => {
      const old = [1, 2, 3].map((end) => activityOf(idAt(1999, String(end))));
      const recent = activityOf(idAt(2000));
      await record(store, recent, ...old, activityOf(idAt(1000), { account: "acct_2" }));
      expect(await store.purgeActivity("acct_1", 2000, 2)).toBe(2);
      expect(await store.purgeActivity("acct_1", 2000, 2)).toBe(1);
      expect(await store.purgeActivity("acct_1", 2000, 2)).toBe(0);
      expect(await idsOf(store)).toMatchObject({ ids: [recent.id] });
      expect(await idsOf(store, {}, "acct_2")).toMatchObject({ ids: [idAt(1000)] });
    });
  });

  describe("activity is written only with its action:", () => {
    const key = {
      id: "key_1",
      object: "api_key",
      account: "acct_1",
      mode: "test",
      name: "shop",
      last4: "wxyz",
      created: 1000,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      permissions,
      max_refund: null,
    } as const;
    const stored = (id: string) => ({ hash: `hash of ${id}`, key: { ...key, id } });

    test("the name of an account", async ({ store }) => {
      await store.insertAccount(newAccount({ id: "acct_1" }));
      await store.renameAccount("acct_8", "Nobody", [activityOf("act_0")]);
      await store.renameAccount("acct_1", "Books & Co", one);
      expect((await idsOf(store)).ids).toEqual(["act_1"]);
    });

    test("a key", async ({ store }) => {
      await store.insertKey(stored("key_1"), [activityOf("act_1")]);
      await store.rollKey("key_1", stored("key_2"), 2000, [activityOf("act_2")]);
      await store.rollKey("key_8", stored("key_3"), 2000, [activityOf("act_0")]);
      await store.revokeKey("acct_1", "key_1", 1500, [activityOf("act_3")]);
      await store.revokeKey("acct_1", "key_1", 1600, [activityOf("act_4")]); // it was before
      await store.revokeKey("acct_1", "key_8", 1500, [activityOf("act_5")]);
      expect((await idsOf(store)).ids).toEqual(["act_3", "act_2", "act_1"]);
    });

    for (const idempotencyKey of [undefined, "k"])
      contended(`a refund, once (key: ${idempotencyKey})`, async ({ store }) => {
        const payment = paymentIn("succeeded", atMs);
        await store.createPayment(() => writeOf(payment));
        const keyed = idempotencyKey ? { key: idempotencyKey } : {};
        const refunded = refund(payment, atMs / 1000) as Payment;
        const refunding = async (activity: Activity[]) =>
          store.transition({ ...moveOf(refunded, "succeeded", keyed), activity });
        const outcomes = await Promise.all([refunding(one), refunding(one), refunding(one)]);
        expect(outcomes.filter(({ outcome }) => outcome === "written")).toHaveLength(1);
        await refunding([activityOf("act_2")]);
        expect((await idsOf(store)).ids).toEqual(["act_1"]);
      });

    for (const k of [undefined, "k"])
      contended(`a refund requested of a network, once (key: ${k})`, async ({ store }) => {
        for (let round = 0; round < 10; round++) {
          const payment = paymentIn("succeeded", atMs);
          const charge = storedCharge({ network, pendingAction: "none", dueAtMs: null });
          await store.createPayment(() => writeOf(payment, { charge }));
          const ids = [1, 2, 3, 4].map((n) => `act_${round}_${n}`);
          const requests = ids.map(async (id) => {
            // Each has its own key, so only the charge excludes the others.
            const { idempotency } = moveOf(payment, "succeeded", k ? { key: k + id } : {});
            const times = { nowMs: atMs, dueAtMs: atMs + 10 };
            const activity = [activityOf(id)];
            const request = { scope, paymentId: payment.id, ...times, idempotency, activity };
            return await store.requestRefund(request);
          });
          const outcomes = await Promise.all(requests);
          const winners = ids.filter((_, at) => outcomes[at]?.outcome === "written");
          expect(winners).toHaveLength(1);
          const written = await idsOf(store, { above: `act_${round}_`, below: `act_${round}_g` });
          expect(written.ids).toEqual(winners);
        }
      });

    test("an endpoint, and a resent event", async ({ store }) => {
      const endpoint = endpointOf();
      const write = { scope, endpoint, idempotency: undefined };
      await store.createEndpoint({ ...write, slot: 0, activity: [activityOf("act_1")] });
      await store.createEndpoint({ ...write, slot: 0, activity: [activityOf("act_2")] });
      const next = { ...write, endpoint: { ...endpoint, revision: 2 } };
      await store.changeEndpoint({ ...next, activity: [activityOf("act_3")] });
      await store.changeEndpoint({ ...next, activity: [activityOf("act_4")] });
      const none = { scope, deliveries: [], idempotency: undefined };
      await store.queueDeliveries({ ...none, activity: [activityOf("act_5")] });
      await store.deleteEndpoint(scope, endpoint.id, [activityOf("act_6")]);
      await store.deleteEndpoint(scope, endpoint.id, [activityOf("act_7")]);
      expect((await idsOf(store)).ids).toEqual(["act_6", "act_5", "act_3", "act_1"]);
    });
  });
}
