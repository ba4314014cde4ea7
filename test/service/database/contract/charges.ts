import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import { simulatorName } from "../../../../src/contract/route.ts";
import {
  cancel,
  failPayment,
  succeedPayment,
  takeCard,
  type Payment,
  type PendingPayment,
  type ProcessingPayment,
} from "../../../../src/service/payments/payment-state.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { NextAccounts } from "../../../../src/service/database/due-work.ts";
import type { ChargeUpdate, StoredCharge } from "../../../../src/service/payments/charges-sql.ts";
import type { Store } from "../../../../src/service/service.ts";
import {
  addAccounts,
  card,
  parsePayment,
  paymentIn,
  peekDue,
  readPayment,
} from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import {
  eventOf,
  atMs,
  liveScope,
  moveOf,
  network,
  otherAccount,
  scope,
  simulatedCharge,
  storedCharge,
  writeOf,
} from "./writes.ts";

const laterSeconds = atMs / 1000 + 60;
const lockedUntilMs = atMs + 15;
const request = { key: "k", fingerprint: "f" };
const response = { status: 201, body: "the response" };

/** Adds a payment with a pending charge, under a locked key. */
async function addCharge(
  store: Store,
  fields: Partial<StoredCharge> = {},
  options: { of?: Scope; key?: string } = {},
): Promise<PendingPayment> {
  const { of = scope, ...named } = options;
  const payment = paymentIn("pending", atMs, { livemode: of.livemode }) as PendingPayment;
  const charge = storedCharge(fields);
  await store.createPayment(() => writeOf(payment, { ...named, scope: of, charge, lockedUntilMs }));
  return payment;
}

/** Adds a payment with an open page; returns it with its card. */
export async function addPage(store: Store, token = "token"): Promise<ProcessingPayment> {
  const payment = paymentIn("pending", atMs, { card: null });
  const page = { token, returnUrl: null, expiresAtMs: atMs + 1_000 };
  await store.createPayment(() => writeOf(payment, { page }));
  return takeCard(payment, card, "Ada") as ProcessingPayment;
}

const claim = { nowMs: atMs, untilMs: atMs + 30 };
export const onPage = (payment: ProcessingPayment) => ({
  scope,
  payment,
  claim,
  charge: storedCharge(),
});
export const closing = (payment: Payment) => ({
  scope,
  payment,
  event: eventOf(),
  claimableAtMs: claim.untilMs,
});

const paid = (payment: PendingPayment) => succeedPayment(payment, card, laterSeconds);
export const canceled = (payment: PendingPayment) =>
  cancel(payment, "customer_canceled", laterSeconds) as Payment;

export const toPaid = (payment: PendingPayment): ChargeUpdate => ({
  scope,
  paymentId: payment.id,
  from: "charge",
  charge: { pendingAction: "none", reference: "ch_1" },
  payment: { next: paid(payment), from: "pending", event: eventOf() },
});

const challenge = { challengeUrl: "https://bank.example/confirm?id=1", challengedAtMs: atMs + 1 };

const atBank = (payment: PendingPayment): ChargeUpdate => ({
  scope,
  paymentId: payment.id,
  from: "charge",
  charge: { dueAtMs: atMs + 60, ...challenge },
});

const leaseCharges = async (
  store: Store,
  nowMs: number,
  limit = 10,
  { of = network, accountId = scope.accountId } = {},
) => store.leaseDueCharges({ nowMs, untilMs: nowMs + 10, limit, network: of, accountId });

export function chargesContract(stores: OpenStores): void {
  describe("a charge", () => {
    test("is written with its payment, and found by its account, mode and payment alone", async ({
      store,
    }) => {
      const charge = storedCharge({ attempts: 2, reference: "ch_1", dueAtMs: atMs + 5 });
      const { id } = await addCharge(store, charge, { of: liveScope });
      await addCharge(store);
      expect(await store.findCharge(liveScope, id)).toEqual(charge);
      const found = await store.findPaymentWithCharge(liveScope, id);
      expect(found && { ...found, payment: parsePayment(found.payment).id }).toEqual({
        payment: id,
        charge,
      });
      for (const of of [scope, otherAccount, { ...otherAccount, livemode: true }])
        expect(await store.findCharge(of, id)).toBeUndefined();
    });

    test("does not exist for a payment without one", async ({ store }) => {
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      expect(await store.findCharge(scope, payment.id)).toBeUndefined();
    });

    test("is not written by a request whose key is in use", async ({ store }) => {
      await addCharge(store, {}, { key: "k" });
      const second = await addCharge(store, {}, { key: "k" });
      expect(await store.findCharge(scope, second.id)).toBeUndefined();
      expect(await leaseCharges(store, atMs)).toHaveLength(1);
    });

    test("by page is written with the card, while the page is claimed", async ({ store }) => {
      const payment = await addPage(store);
      expect(await store.chargePage(onPage(payment))).toBe(true);
      expect(await store.findCharge(scope, payment.id)).toEqual(storedCharge());
      const page = { claimedUntilMs: claim.untilMs, openUntilMs: atMs + 1_000 };
      expect(await store.findPage("token")).toMatchObject({ payment, page });
    });

    test.each([
      [
        "claimed by another request",
        async (s: Store, payment: ProcessingPayment) => s.chargePage(onPage(payment)),
      ],
      ["closed", async (s: Store, p: ProcessingPayment) => s.closePage(closing(canceled(p)))],
    ])("by a page that is %s is not written", async (_, end) => {
      const store = await (await stores()).open();
      const payment = await addPage(store);
      await end(store, payment);
      const before = await store.findPage("token");
      expect(await store.chargePage(onPage(payment))).toBe(false);
      expect(await store.findPage("token")).toEqual(before);
    });

    contended("by a page is written once by concurrent claims", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const payment = await addPage(processes[0] as Store);
      const charged = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => processes[i % 2]?.chargePage(onPage(payment))),
      );
      expect(charged.filter(Boolean)).toHaveLength(1);
    });

    contended("by a page is written once, also where clocks differ", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const payment = await addPage(processes[0] as Store);
      const charged = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const nowMs = atMs + i * 40; // a claim lasts 30 ms, the page a second
          const write = { ...onPage(payment), claim: { nowMs, untilMs: nowMs + 30 } };
          return processes[i % 2]?.chargePage(write);
        }),
      );
      expect(charged.filter(Boolean)).toHaveLength(1);
    });
  });

  describe("the outcome of a charge", () => {
    test("is written with its payment, its page and its request", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      const neighbour = await addCharge(store, {}, { key: "k" });
      const move = { ...toPaid(payment), request: { ...request, response } };
      expect(await store.updateCharge(move)).toBe("written");
      expect(await store.findCharge(scope, payment.id)).toEqual(
        storedCharge({ pendingAction: "none", reference: "ch_1", dueAtMs: null }),
      );
      const page = { openUntilMs: null };
      expect(await store.findPage("token")).toMatchObject({ payment: paid(payment), page });
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({
        response,
        lockedUntilMs: 0,
      });
      expect(await store.findCharge(scope, neighbour.id)).toEqual(storedCharge());
      expect(await readPayment(store, scope, neighbour.id)).toEqual(neighbour);
    });

    test.each(["cancel", "refund", "none"] as const)(
      "conflicts where %s is pending by now, and nothing is written",
      async (pendingAction) => {
        const store = await (await stores()).open();
        const payment = await addCharge(store, { pendingAction }, { key: "k" });
        const move = { ...toPaid(payment), request: { ...request, response } };
        expect(await store.updateCharge(move)).toBe("conflict");
        expect(await store.findCharge(scope, payment.id)).toEqual(storedCharge({ pendingAction }));
        expect(await readPayment(store, scope, payment.id)).toEqual(payment);
        expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({ lockedUntilMs });
      },
    );

    test("is written also where its request has been answered, and the stored response stays", async ({
      store,
    }) => {
      const payment = await addCharge(store, {}, { key: "k" });
      await store.releaseLock(scope, request);
      const move = { ...toPaid(payment), request: { ...request, response } };
      expect(await store.updateCharge(move)).toBe("already_answered");
      expect(await readPayment(store, scope, payment.id)).toEqual(paid(payment));
      const given = { status: 201, body: payment.id };
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({ response: given });
    });

    test("conflicts in another mode, and in another account", async ({ store }) => {
      const payment = await addCharge(store);
      for (const of of [liveScope, otherAccount])
        expect(await store.updateCharge({ ...toPaid(payment), scope: of })).toBe("conflict");
      expect(await store.findCharge(scope, payment.id)).toEqual(storedCharge());
    });

    test("is not written where its payment has changed without it", async ({ store }) => {
      const payment = await addCharge(store, {}, { key: "k" });
      const failed = failPayment(payment, "expired_card", laterSeconds);
      await store.transition(moveOf(failed, "pending"));
      const move = { ...toPaid(payment), request: { ...request, response } };
      await expect(store.updateCharge(move)).rejects.toThrow(
        "A charge's payment has changed without it.",
      );
      expect(await store.findCharge(scope, payment.id)).toEqual(storedCharge());
      expect(await readPayment(store, scope, payment.id)).toEqual(failed);
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({ lockedUntilMs });
    });

    test("leaves a payment that has ended as it is", async ({ store }) => {
      const payment = await addCharge(store, { pendingAction: "cancel" });
      await store.transition(moveOf(canceled(payment), "pending"));
      const next = failPayment(payment, "processing_error", laterSeconds);
      const { paymentId } = toPaid(payment);
      const over = { pendingAction: "none" } as const;
      const move = { scope, paymentId, from: "cancel", charge: over } as const;
      const ended = { ...move, payment: { next, from: "pending", event: eventOf() } } as const;
      expect(await store.updateCharge(ended)).toBe("written");
      expect(await readPayment(store, scope, payment.id)).toEqual(canceled(payment));
      expect(await leaseCharges(store, Number.MAX_SAFE_INTEGER - 10)).toEqual([]);
    });

    test("may be a later due time, with the network's reference", async ({ store }) => {
      const { id } = await addCharge(store);
      const later = { scope, paymentId: id, from: "charge" } as const;
      const first = { reference: "ch_1", attempts: 4, dueAtMs: atMs + 7 };
      expect(await store.updateCharge({ ...later, charge: first })).toBe("written");
      expect(await store.findCharge(scope, id)).toEqual(storedCharge(first));
      const secondly = { ...later, charge: { dueAtMs: atMs + 9 } };
      expect(await store.updateCharge(secondly)).toBe("written");
      const second = { reference: "ch_1", attempts: 0, dueAtMs: atMs + 9 };
      expect(await store.findCharge(scope, id)).toEqual(storedCharge(second));
    });

    contended("is written once by concurrent processes", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const payment = await addCharge(processes[0] as Store);
      const moved = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => processes[i % 2]?.updateCharge(toPaid(payment))),
      );
      expect(moved.filter((outcome) => outcome === "written")).toHaveLength(1);
    });
  });

  describe("a charge whose customer is at the bank", () => {
    test("leaves the page open and unclaimed, and tells where the bank asks", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      expect(await store.updateCharge(atBank(payment))).toBe("written");
      expect(await store.findCharge(scope, payment.id)).toEqual(
        storedCharge({ dueAtMs: atMs + 60, ...challenge }),
      );
      expect(await store.findPage("token")).toMatchObject({
        payment,
        page: { openUntilMs: atMs + 1_000, claimedUntilMs: 0, ...challenge },
      });
      expect(await store.chargePage(onPage(payment))).toBe(false);
    });

    test("keeps when it was challenged, and no address once it is decided", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      await store.updateCharge(atBank(payment));
      expect(await store.updateCharge(toPaid(payment))).toBe("written");
      const { challengedAtMs } = challenge;
      const over = { challengeUrl: null, challengedAtMs };
      expect(await store.findCharge(scope, payment.id)).toMatchObject(over);
      expect(await store.findPage("token")).toMatchObject({ page: { openUntilMs: null, ...over } });
    });

    test("is canceled with its page, and has no address from then on", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      await store.updateCharge(atBank(payment));
      const now = { claimableAtMs: atMs }; // the claim would last longer
      expect(await store.closePage({ ...closing(canceled(payment)), ...now })).toEqual({
        outcome: "written",
      });
      expect(await store.findCharge(scope, payment.id)).toMatchObject({
        pendingAction: "cancel",
        challengeUrl: null,
      });
      expect(await store.updateCharge(atBank(payment))).toBe("conflict");
    });

    contended("is asked about once in an interval, by whichever process", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const [one] = processes as [Store];
      const payment = await addPage(one);
      await one.chargePage(onPage(payment));
      const turn = { nowMs: atMs, intervalMs: 10 };
      expect(await one.takeChallengeTurn(scope, payment.id, turn)).toBeUndefined();
      await one.updateCharge(atBank(payment));
      for (const nowMs of [atMs, atMs + 10]) {
        const turns = await Promise.all(
          Array.from({ length: 10 }, async (_, i) =>
            processes[i % 2]?.takeChallengeTurn(scope, payment.id, { ...turn, nowMs }),
          ),
        );
        const charge = storedCharge({ dueAtMs: atMs + 60, ...challenge });
        expect(turns.filter(Boolean)).toEqual([charge]);
      }
      const later = { ...turn, nowMs: atMs + 100 };
      for (const of of [liveScope, otherAccount])
        expect(await one.takeChallengeTurn(of, payment.id, later)).toBeUndefined();
      await one.updateCharge(toPaid(payment));
      expect(await one.takeChallengeTurn(scope, payment.id, later)).toBeUndefined();
    });

    test("does not count as undecided", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      expect(await store.measureBacklog(atMs)).toMatchObject({ undecided: 1 });
      await store.updateCharge(atBank(payment));
      expect(await store.measureBacklog(atMs)).toMatchObject({ undecided: 0 });
    });
  });

  describe("a charge whose page is closed before its outcome is known", () => {
    test("is canceled next, and accepts no other outcome", async ({ store }) => {
      const payment = await addPage(store);
      await store.chargePage(onPage(payment));
      expect(await store.closePage(closing(canceled(payment)))).toEqual({ outcome: "written" });
      const [due] = await leaseCharges(store, 0);
      expect(due).toMatchObject({
        payment: canceled(payment),
        charge: { pendingAction: "cancel" },
      });
      expect(await store.updateCharge(toPaid(payment))).toBe("conflict");
      expect(await readPayment(store, scope, payment.id)).toEqual(canceled(payment));
    });

    contended("or concurrently, has one outcome with its payment", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      for (let round = 0; round < 10; round++) {
        const payment = await addPage(one, `token${round}`);
        await one.chargePage(onPage(payment));
        const work = [
          async () => one.updateCharge(toPaid(payment)),
          async () => other.closePage(closing(canceled(payment))),
        ];
        if (round % 2 === 1) work.reverse();
        await Promise.all(work.map(async (each) => each()));
        const ended = await readPayment(one, scope, payment.id);
        const pendingAction = ended?.status === "succeeded" ? "none" : "cancel";
        expect(ended).toEqual(pendingAction === "none" ? paid(payment) : canceled(payment));
        expect(await one.findCharge(scope, payment.id)).toMatchObject({
          pendingAction: pendingAction,
        });
      }
    });
  });

  describe("a charge that is due", () => {
    test("is leased from its due time on, with its scope and payment", async ({ store }) => {
      const payment = await addCharge(store, { dueAtMs: atMs + 1, reference: "ch_1", attempts: 2 });
      expect(await leaseCharges(store, atMs)).toEqual([]);
      const charge = storedCharge({ reference: "ch_1", attempts: 2, dueAtMs: atMs + 11 });
      expect(await leaseCharges(store, atMs + 1)).toEqual([{ scope, payment, charge }]);
    });

    test("is leased from both modes of an account, the oldest first, up to a limit", async ({
      store,
    }) => {
      await addCharge(store, { dueAtMs: atMs }, { of: otherAccount });
      await addCharge(store, { dueAtMs: atMs + 3 });
      await addCharge(store, { dueAtMs: atMs + 1, pendingAction: "cancel" }, { of: liveScope });
      await addCharge(store, { dueAtMs: atMs + 2, pendingAction: "refund" });
      const given: (string | undefined)[] = [];
      for (let round = 0; round < 3; round++)
        given.push(
          ...(await leaseCharges(store, atMs + 3, 1)).map(({ charge }) => charge.pendingAction),
        );
      expect(given).toEqual(["cancel", "refund", "charge"]);
      expect(await leaseCharges(store, atMs + 3)).toEqual([]);
      const { accountId } = otherAccount;
      expect(await leaseCharges(store, atMs + 3, 10, { accountId })).toMatchObject([
        { scope: otherAccount },
      ]);
    });

    test("is found by account and network, a hundred accounts at a time", async ({ store }) => {
      const accounts = Array.from({ length: 201 }, (_, i) => `acct_due_${1_000 + i}`);
      await addAccounts(store, accounts);
      const due = { nowMs: atMs, network };
      expect(await store.findAccountsWithDueCharges(due, "")).toEqual({
        found: [],
        next: undefined,
      });
      const addDue = async (accountId: string) =>
        addCharge(store, {}, { of: { accountId, livemode: true } });
      await Promise.all(accounts.slice(1, -1).map(addDue));
      const [of = "", later = ""] = [accounts.at(0), accounts.at(-1)];
      await addCharge(store, { network: "stripe" }, { of: { accountId: of, livemode: true } });
      await addCharge(store, { dueAtMs: atMs + 1 }, { of: { accountId: later, livemode: true } });
      const found: string[][] = [];
      let after: string | undefined = "";
      while (after !== undefined) {
        const page: NextAccounts<string> = await store.findAccountsWithDueCharges(due, after);
        found.push(page.found);
        after = page.next;
      }
      for (const batch of found) expect(batch.length).toBeLessThanOrEqual(100);
      expect(found.flat().toSorted()).toEqual(accounts.slice(1, -1));
    });

    contended(
      "is leased by one of several processes, and by another once the lease has expired",
      async () => {
        const database = await stores();
        const [one, other] = [await database.open(), await database.open()];
        const all = [];
        for (let i = 0; i < 20; i++) all.push(await addCharge(one));
        const atOnce = await Promise.all(
          [one, other, one, other].map(async (s) => leaseCharges(s, atMs)),
        );
        const later = [...(await leaseCharges(one, atMs)), ...(await leaseCharges(other, atMs))];
        const given = [...atOnce.flat(), ...later].map(({ payment }) => payment.id);
        expect(given.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        expect(await leaseCharges(one, atMs + 9)).toEqual([]);
        expect(await leaseCharges(other, atMs + 10, 20)).toHaveLength(20);
      },
    );

    test("is leased only for its network, however many wait for another one", async ({ store }) => {
      for (let i = 0; i < 3; i++) await addCharge(store, { network: "stripe" });
      const { id } = await addCharge(store, { dueAtMs: atMs + 1 });
      expect((await leaseCharges(store, atMs + 1, 1)).map(({ payment }) => payment.id)).toEqual([
        id,
      ]);
      expect(await leaseCharges(store, atMs + 1)).toEqual([]);
      const [first, ...others] = await leaseCharges(store, atMs + 1, 10, { of: "stripe" });
      expect(first?.charge.network).toBe("stripe");
      expect(others).toHaveLength(2);
    });

    test("is counted for services attached to another network, until its outcome is known", async ({
      store,
    }) => {
      const payment = await addCharge(store, { dueAtMs: atMs + 99 });
      await addCharge(store, { network: "stripe" }, { of: otherAccount });
      await addCharge(store, { network: "stripe", pendingAction: "none", dueAtMs: null });
      expect(await store.countOtherNetworksCharges("stripe")).toEqual({ count: 1, network });
      expect(await store.countOtherNetworksCharges(network)).toEqual({
        count: 1,
        network: "stripe",
      });
      expect(await store.countOtherNetworksCharges("simulator")).toEqual({ count: 2, network });
      await store.updateCharge(toPaid(payment));
      expect(await store.countOtherNetworksCharges("stripe")).toEqual({
        count: 0,
        network: undefined,
      });
    });

    test("is undecided from its beginning until its outcome is known, a refund from its request", async ({
      store,
    }) => {
      const backlog = { undecided: 0, oldestUndecidedAgeMs: 0 };
      expect(await store.measureBacklog(atMs)).toMatchObject(backlog);
      const first = await addCharge(store, { begunAtMs: atMs + 1, dueAtMs: atMs + 99 });
      await addCharge(
        store,
        { begunAtMs: atMs + 3, pendingAction: "cancel" },
        { of: otherAccount },
      );
      const settled = await addCharge(store);
      await store.updateCharge(toPaid(settled));
      const both = { undecided: 2, oldestUndecidedAgeMs: 8 };
      expect(await store.measureBacklog(atMs + 9)).toMatchObject(both);
      const times = { nowMs: atMs + 2, dueAtMs: atMs + 50 };
      const refund = { scope, paymentId: settled.id, idempotency: undefined, ...times };
      await store.requestRefund(refund);
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ ...both, undecided: 3 });
      await store.updateCharge(toPaid(first));
      const left = { undecided: 2, oldestUndecidedAgeMs: 7 };
      expect(await store.measureBacklog(atMs + 9)).toMatchObject(left);
    });

    test("is leased from any account and mode where none is named, the oldest first", async ({
      store,
    }) => {
      const simulated = { network: simulatorName };
      await addCharge(store, { ...simulated, dueAtMs: atMs + 3 }, { of: otherAccount });
      await addCharge(store, { ...simulated, dueAtMs: atMs + 1 }, { of: liveScope });
      await addCharge(store, { ...simulated, dueAtMs: atMs + 2 });
      await addCharge(store);
      const scopesOf = async (limit: number) =>
        (await peekDue(store, atMs + 3, limit)).map((due) => due.scope);
      expect(new Set(await scopesOf(2))).toEqual(new Set([liveScope, scope]));
      const all = await scopesOf(10);
      expect(all).toHaveLength(3);
      expect(new Set(all)).toEqual(new Set([liveScope, scope, otherAccount]));
    });

    test("of the simulator counts as due until it is settled, also while it is leased", async ({
      store,
    }) => {
      const none = { due: 0, oldestAgeMs: 0, undecided: 0 };
      const first = await addCharge(store, simulatedCharge(atMs + 1));
      await addCharge(store, simulatedCharge(atMs + 2), { of: liveScope });
      expect(await store.measureBacklog(atMs)).toMatchObject(none);
      expect(await store.measureBacklog(atMs + 1)).toMatchObject({ ...none, due: 1 });
      const both = { ...none, due: 2, oldestAgeMs: 8 };
      expect(await store.measureBacklog(atMs + 9)).toMatchObject(both);
      const lease = { nowMs: atMs + 9, untilMs: atMs + 5_000, limit: 10, network: simulatorName };
      expect(await store.leaseDueCharges(lease)).toHaveLength(2);
      expect(await store.measureBacklog(atMs + 9)).toMatchObject(both);
      await store.updateCharge(toPaid(first));
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ due: 1, oldestAgeMs: 7 });
      const elsewhere = await store.countOtherNetworksCharges(network);
      expect(elsewhere).toEqual({ count: 0, network: undefined });
    });

    test("has a pending action", async ({ store }) => {
      await addCharge(store, { pendingAction: "none", dueAtMs: null });
      expect(await leaseCharges(store, Number.MAX_SAFE_INTEGER - 10)).toEqual([]);
    });
  });
}
