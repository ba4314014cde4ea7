import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import {
  type AwaitedPayment,
  type Payment,
  type PendingPayment,
  type ProcessingPayment,
  cancel,
  expirePayment,
  failPayment,
  succeedPayment,
  takeCard,
} from "../../../../src/service/payments/payment-state.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { NewPage } from "../../../../src/service/payments/payments-sql.ts";
import type { Store } from "../../../../src/service/service.ts";
import { card, paymentIn, peekDue, readPayment } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { activityOf, idsOf } from "./activity.ts";
import {
  afterClaims,
  claimPage,
  eventOf,
  moveOf,
  recordOf,
  atMs,
  liveScope,
  otherAccount,
  scope,
  simulatedCharge,
  writeOf,
} from "./writes.ts";

const laterSeconds = atMs / 1000 + 60;
const expiresAtMs = atMs + 1_000;
const claimedUntilMs = atMs + 30;

const leasePages = async (store: Store, nowMs: number, limit = 10) =>
  store.leaseExpiredPages({ nowMs, untilMs: nowMs + 10, limit });

let tokens = 0;
async function addPage(store: Store, fields: Partial<NewPage> = {}, of: Scope = scope) {
  const redirect_url = "https://pay.example/pay/token";
  const started = { card: null, redirect_url, livemode: of.livemode };
  const payment = paymentIn("pending", atMs, started) as AwaitedPayment;
  const page = { token: `token${(tokens += 1)}`, returnUrl: null, expiresAtMs, ...fields };
  await store.createPayment(() => writeOf(payment, { scope: of, page }));
  return { payment, page };
}

const noChallenge = { challengeUrl: null, challengedAtMs: null };
const claim = { nowMs: atMs, untilMs: claimedUntilMs };
const closing = (payment: Parameters<Store["closePage"]>[0]["payment"], of: Scope = scope) => ({
  scope: of,
  payment,
  event: eventOf(),
  ...afterClaims,
});
/** A payment by page that is decided at once. */
const paying = (payment: Payment) => ({
  scope,
  payment,
  claim: { nowMs: atMs, untilMs: undefined },
  charge: undefined,
  event: eventOf(),
});
const paid = (payment: PendingPayment) => succeedPayment(payment, card, laterSeconds);

export function hostedPagesContract(stores: OpenStores): void {
  describe("a payment page", () => {
    test.each([null, "https://shop.example/thanks?a=%F0%9F%98%80"])(
      "that leads back to %s is found by its token, with its scope and payment",
      async (returnUrl) => {
        const store = await (await stores()).open();
        await addPage(store);
        const { payment, page } = await addPage(store, { returnUrl }, liveScope);
        expect(await store.findPage(page.token)).toEqual({
          scope: liveScope,
          payment,
          page: {
            ...page,
            openUntilMs: expiresAtMs,
            claimedUntilMs: 0,
            askedAtMs: null,
            ...noChallenge,
          },
        });
      },
    );

    test.each(["", "-", "TOKEN1", "token", "%"])("is not found by %j", async (token) => {
      const store = await (await stores()).open();
      await addPage(store, { token: "token1" });
      expect(await store.findPage(token)).toBeUndefined();
    });

    test("is found by another process", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      const { payment, page } = await addPage(one);
      expect(await other.findPage(page.token)).toMatchObject({ payment });
    });

    test("is not created by a replayed request", async ({ store }) => {
      const page = { token: "first", returnUrl: null, expiresAtMs };
      const payment = paymentIn("pending", atMs);
      await store.createPayment(() => writeOf(payment, { key: "k", page }));
      const other = { ...page, token: "second" };
      const retry = writeOf(paymentIn("pending", atMs), { key: "k", page: other });
      expect(await store.createPayment(() => retry)).toMatchObject({ outcome: "replayed" });
      expect(await store.findPage("first")).toMatchObject({ payment });
      expect(await store.findPage("second")).toBeUndefined();
    });
  });

  describe("a claim on a page", () => {
    test("belongs to one payer, whose charge stays when it has expired", async ({ store }) => {
      const { payment, page } = await addPage(store);
      expect(await claimPage(store, payment, claim)).toBe(true);
      expect((await store.findPage(page.token))?.page.claimedUntilMs).toBe(claimedUntilMs);
      for (const nowMs of [claimedUntilMs - 1, claimedUntilMs]) {
        const later = { nowMs, untilMs: claimedUntilMs + 30 };
        expect(await claimPage(store, payment, later)).toBe(false);
      }
    });

    test.each([
      ["that has expired", async (store: Store) => addPage(store, { expiresAtMs: atMs })],
      [
        "that was closed",
        async (store: Store) => {
          const added = await addPage(store);
          await store.closePage(closing(paid(added.payment)));
          return added;
        },
      ],
    ])("on one %s is refused", async (_, add) => {
      const store = await (await stores()).open();
      const { payment } = await add(store);
      expect(await claimPage(store, payment, claim)).toBe(false);
    });

    test("on another mode's, another account's or an unknown page is refused", async ({
      store,
    }) => {
      const { payment, page } = await addPage(store);
      for (const of of [liveScope, otherAccount])
        expect(await claimPage(store, payment, claim, of)).toBe(false);
      expect(await claimPage(store, paymentIn("pending", atMs, { card: null }), claim)).toBe(false);
      expect((await store.findPage(page.token))?.page.claimedUntilMs).toBe(0);
    });

    contended("of concurrent processes succeeds once", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()] as const;
      const { payment } = await addPage(processes[0]);
      const claims = Array.from({ length: 20 }, async (_, i) =>
        claimPage(i % 2 === 0 ? processes[0] : processes[1], payment, claim),
      );
      const won = (await Promise.all(claims)).filter((isWon) => isWon);
      expect(won).toHaveLength(1);
    });
  });

  describe("paying a page", () => {
    test("at once writes its payment, and closes it permanently", async ({ store }) => {
      const { payment, page } = await addPage(store);
      const succeeded = paid(payment);
      expect(await store.chargePage(paying(succeeded))).toBe(true);
      const found = await store.findPage(page.token);
      expect(found).toMatchObject({ payment: succeeded, page: { openUntilMs: null } });
      expect(await store.findCharge(scope, payment.id)).toBeUndefined();
      expect(await store.chargePage(paying(paid(payment)))).toBe(false);
      expect(await claimPage(store, payment, claim)).toBe(false);
    });

    test("can leave a payment pending, to be settled later", async ({ store }) => {
      const { payment, page } = await addPage(store);
      const processing = takeCard(payment, card, "") as ProcessingPayment;
      const charge = simulatedCharge(atMs + 5);
      const write = { ...paying(processing), charge, event: undefined };
      expect(await store.chargePage(write)).toBe(true);
      expect(await store.findPage(page.token)).toMatchObject({
        payment: processing,
        page: { openUntilMs: null },
      });
      expect(await peekDue(store, atMs + 4, 10)).toEqual([]);
      const due = [{ scope, payment: processing, charge }];
      expect(await peekDue(store, atMs + 5, 10)).toEqual(due);
    });

    test.each([
      ["claimed", async (store: Store, payment: Payment) => claimPage(store, payment, claim)],
      [
        "at the bank",
        async (store: Store, payment: Payment) =>
          claimPage(store, payment, { nowMs: atMs, untilMs: atMs }),
      ],
      [
        "closed",
        async (store: Store, payment: Payment) =>
          store.closePage(closing(failPayment(payment as PendingPayment, "hpp_expired", 1))),
      ],
    ])("at once is refused where the page is %s", async (_, end) => {
      const store = await (await stores()).open();
      const { payment, page } = await addPage(store);
      await end(store, payment);
      const before = await store.findPage(page.token);
      expect(await store.chargePage(paying(paid(payment)))).toBe(false);
      expect(await store.findPage(page.token)).toEqual(before);
    });

    contended("at once and by a charge, concurrently, is done once", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      for (let round = 0; round < 10; round++) {
        const { payment } = await addPage(one);
        const work = [
          async () => one.chargePage(paying(paid(payment))),
          async () => claimPage(other, payment, { nowMs: atMs, untilMs: atMs }),
        ];
        if (round % 2 === 1) work.reverse();
        const written = await Promise.all(work.map(async (each) => each()));
        expect(written.filter(Boolean)).toHaveLength(1);
        const isPaid = (await readPayment(one, scope, payment.id))?.status === "succeeded";
        expect(isPaid).toBe((await one.findCharge(scope, payment.id)) === undefined);
      }
    });
  });

  describe("closing a page", () => {
    test("writes its payment, and closes it permanently", async ({ store }) => {
      const { payment, page } = await addPage(store);
      const { payment: neighbour } = await addPage(store);
      const succeeded = paid(payment);
      expect(await store.closePage(closing(succeeded))).toEqual({ outcome: "written" });
      const found = await store.findPage(page.token);
      expect(found).toMatchObject({ payment: succeeded, page: { openUntilMs: null } });
      expect(await store.closePage(closing(failPayment(payment, "hpp_expired", 1)))).toEqual({
        outcome: "conflict",
      });
      expect(await readPayment(store, scope, payment.id)).toEqual(succeeded);
      expect(await readPayment(store, scope, neighbour.id)).toEqual(neighbour);
    });

    test("without a claim conflicts while another claim lasts", async ({ store }) => {
      const { payment } = await addPage(store);
      await claimPage(store, payment, claim);
      const canceled = closing(failPayment(payment, "customer_canceled", laterSeconds));
      const during = { ...canceled, claimableAtMs: claimedUntilMs - 1 };
      expect(await store.closePage(during)).toEqual({ outcome: "conflict" });
      expect(await readPayment(store, scope, payment.id)).toMatchObject({ status: "pending" });
      const after = { ...canceled, claimableAtMs: claimedUntilMs };
      expect(await store.closePage(after)).toEqual({ outcome: "written" });
    });

    test("of another mode's, another account's or an unknown payment conflicts", async ({
      store,
    }) => {
      const { payment } = await addPage(store);
      const direct = paymentIn("pending", atMs) as PendingPayment;
      await store.createPayment(() => writeOf(direct));
      for (const of of [liveScope, otherAccount])
        expect(await store.closePage(closing(paid(payment), of))).toEqual({ outcome: "conflict" });
      expect(await store.closePage(closing(paid(direct)))).toEqual({ outcome: "conflict" });
      expect(await readPayment(store, scope, payment.id)).toEqual(payment);
      expect(await readPayment(store, scope, direct.id)).toEqual(direct);
    });

    test("whose payment has changed otherwise throws, and writes nothing", async ({ store }) => {
      const { payment, page } = await addPage(store);
      const failed = failPayment(payment, "processing_error", laterSeconds);
      await store.transition(moveOf(failed, "pending"));
      await expect(store.closePage(closing(paid(payment)))).rejects.toThrow("not pending");
      expect(await store.findPage(page.token)).toMatchObject({
        payment: failed,
        page: { openUntilMs: expiresAtMs },
      });
    });

    test("with an idempotency key is done once, with its audit entry", async ({ store }) => {
      const [{ payment, page }, { payment: other }] = [await addPage(store), await addPage(store)];
      let entries = 0;
      const canceled = (of: PendingPayment, options: Parameters<typeof recordOf>[1]) => {
        const ended = cancel(of, "canceled", laterSeconds) as Payment;
        const idempotency = recordOf(ended, { key: "k", ...options });
        return { ...closing(ended), idempotency, activity: [activityOf(`act_${(entries += 1)}`)] };
      };
      expect(await store.closePage(canceled(payment, {}))).toEqual({ outcome: "written" });
      const response = { status: 201, body: payment.id };
      expect(await store.closePage(canceled(payment, {}))).toEqual({
        outcome: "replayed",
        response,
      });
      const refused = [
        canceled(other, {}),
        canceled(other, { fingerprint: "g" }),
        canceled(payment, { key: "another" }),
      ];
      const outcomes = [];
      for (const each of refused) outcomes.push((await store.closePage(each)).outcome);
      expect(outcomes).toEqual(["replayed", "mismatch", "conflict"]);
      expect(await readPayment(store, scope, other.id)).toEqual(other);
      expect(await store.findStoredResponse(scope, "another", atMs)).toBeUndefined();
      const stillOpen = await store.findPageOfPayment(scope, other.id);
      expect(stillOpen?.page.openUntilMs).toBe(expiresAtMs);
      const found = await store.findPageOfPayment(scope, payment.id);
      expect(found).toMatchObject({ payment: { status: "failed" }, page: { openUntilMs: null } });
      expect(found).toEqual(await store.findPage(page.token));
      expect((await idsOf(store)).ids).toEqual(["act_1"]);
    });

    contended("with one idempotency key by concurrent processes is done once", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      const { payment } = await addPage(one);
      const ended = cancel(payment, "canceled", laterSeconds) as Payment;
      const tries = Array.from({ length: 20 }, async (_, i) => {
        const write = { ...closing(ended), idempotency: recordOf(ended, { key: "k" }) };
        return await (i % 2 === 0 ? one : other).closePage(write);
      });
      const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome);
      expect(outcomes.toSorted()).toEqual([...Array<string>(19).fill("replayed"), "written"]);
    });

    contended("by concurrent processes is done once", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()] as const;
      const { payment } = await addPage(processes[0]);
      const tries = Array.from({ length: 21 }, async (_, i) => {
        const store = i % 2 === 0 ? processes[0] : processes[1];
        const ends = [
          paid(payment),
          cancel(payment, "customer_canceled", laterSeconds + i),
          expirePayment(payment, laterSeconds),
        ];
        const end = ends[i % 3] as ReturnType<typeof paid>;
        return { end, outcome: await store.closePage(closing(end)) };
      });
      const results = await Promise.all(tries);
      const written = results.filter(({ outcome }) => outcome.outcome === "written");
      expect(written).toHaveLength(1);
      expect(await readPayment(processes[1], scope, payment.id)).toEqual(written[0]?.end);
    });
  });

  describe("an open page that has expired", () => {
    test("is leased from then on, of any account and mode, the oldest first, up to a limit", async ({
      store,
    }) => {
      await addPage(store, { expiresAtMs: atMs + 3 }, otherAccount);
      await addPage(store, { expiresAtMs: atMs + 1 }, liveScope);
      const { payment } = await addPage(store, { expiresAtMs: atMs + 2 });
      expect(await leasePages(store, atMs)).toEqual([]);
      const [first, ...others] = await leasePages(store, atMs + 3, 1);
      expect([first?.scope, others]).toEqual([liveScope, []]);
      expect(await leasePages(store, atMs + 3, 1)).toEqual([{ scope, payment }]);
      expect(await leasePages(store, atMs + 3)).toMatchObject([{ scope: otherAccount }]);
    });

    contended(
      "is leased by one of several processes, and by another once the lease has expired",
      async () => {
        const database = await stores();
        const [one, other] = [await database.open(), await database.open()];
        for (let i = 0; i < 20; i++) await addPage(one, { expiresAtMs: atMs + 1 });
        const leased = await Promise.all(
          [one, other, one, other].map(async (s) => leasePages(s, atMs + 1)),
        );
        const later = [
          ...(await leasePages(one, atMs + 1)),
          ...(await leasePages(other, atMs + 1)),
        ];
        const given = [...leased.flat(), ...later].map(({ payment }) => payment.id);
        expect([given.length, new Set(given).size]).toEqual([20, 20]);
        expect(await leasePages(other, atMs + 10)).toEqual([]);
        expect(await leasePages(other, atMs + 11, 20)).toHaveLength(20);
      },
    );

    test("is not leased while a customer has claimed it, and does not count for the limit", async ({
      store,
    }) => {
      const { payment } = await addPage(store, { expiresAtMs: atMs + 1 });
      const { payment: other } = await addPage(store, { expiresAtMs: atMs + 2 });
      await claimPage(store, payment, claim);
      expect(await leasePages(store, claimedUntilMs - 1, 1)).toMatchObject([
        { payment: { id: other.id } },
      ]);
      expect(await leasePages(store, claimedUntilMs, 1)).toMatchObject([
        { payment: { id: payment.id } },
      ]);
    });

    test("that is leased cannot be claimed", async ({ store }) => {
      const { payment, page } = await addPage(store, { expiresAtMs: atMs });
      await leasePages(store, atMs);
      const found = await store.findPage(page.token);
      expect(found).toMatchObject({ payment, page: { claimedUntilMs: 0, openUntilMs: atMs } });
    });

    test("that is leased can be claimed by a replica whose clock is behind", async ({ store }) => {
      const { payment } = await addPage(store, { expiresAtMs: atMs + 1 });
      await leasePages(store, atMs + 1);
      expect(await claimPage(store, payment, claim)).toBe(true);
      const expired = closing(expirePayment(payment, laterSeconds) as Payment);
      expect(await store.closePage({ ...expired, claimableAtMs: atMs + 1 })).toEqual({
        outcome: "conflict",
      });
      expect(await leasePages(store, claimedUntilMs - 1)).toEqual([]);
      expect(await store.closePage(closing(paid(payment)))).toEqual({ outcome: "written" });
    });

    test("is not leased once it is closed", async ({ store }) => {
      const { payment } = await addPage(store);
      await store.closePage(closing(paid(payment)));
      expect(await leasePages(store, Number.MAX_SAFE_INTEGER - 10)).toEqual([]);
    });
  });
}
