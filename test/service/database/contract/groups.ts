import { expect } from "vitest";
import { contended, describe } from "./contended.ts";
import {
  type Payment,
  type RefundedPayment,
  refund,
} from "../../../../src/service/payments/payment-state.ts";
import { paymentIn, readPayment } from "../../../testkit/database/records.ts";
import { activityOf } from "./activity.ts";
import { addEndpoint, deliveriesOf } from "./endpoints.ts";
import {
  allPages,
  atMs,
  moveOf,
  otherAccount,
  scope,
  simulatedCharge,
  storedCharge,
  writeOf,
} from "./writes.ts";

const groupSize = 64;
const written = { outcome: "written" };

/** Payments in a status, oldest first. */
function paymentsIn(status: Payment["status"], count = groupSize): Payment[] {
  return Array.from({ length: count }, () => paymentIn(status, atMs));
}

function toRefunded(payment: Payment): RefundedPayment {
  return refund(payment, atMs / 1000 + 60) as RefundedPayment;
}

/** Many writes at once, which a driver may commit together. */
export function groupsContract(): void {
  describe("many writes at once", () => {
    contended("each of several creates is written whole", async ({ store }) => {
      const endpoint = await addEndpoint(store);
      const payments = paymentsIn("pending");
      const outcomes = payments.map(async (payment, at) =>
        store.createPayment(() =>
          writeOf(payment, {
            ...(at % 2 === 0 && { key: `order-${at}` }),
            charge: simulatedCharge(atMs + at),
            page: { token: `token-${at}`, returnUrl: null, expiresAtMs: atMs + 1_000 },
          }),
        ),
      );
      expect(await Promise.all(outcomes)).toEqual(payments.map(() => written));
      expect(await allPages(store)).toEqual(payments.toReversed());
      for (const [at, { id }] of payments.entries()) {
        expect(await store.findCharge(scope, id)).toEqual(simulatedCharge(atMs + at));
        expect((await store.findPage(`token-${at}`))?.payment.id).toBe(id);
      }
      const record = await store.findStoredResponse(scope, "order-2", atMs);
      expect(record?.response.body).toBe(payments[2]?.id);
      const events = payments.map(({ id }) => id.replace("pay_", "evt_")).toReversed();
      const deliveries = await deliveriesOf(store, endpoint);
      expect(deliveries.map(({ eventId }) => eventId)).toEqual(events);
    });

    contended("each of several refunds is written whole", async ({ store }) => {
      const payments = paymentsIn("succeeded");
      await Promise.all(payments.map((each) => store.createPayment(() => writeOf(each))));
      const endpoint = await addEndpoint(store);
      const refunded = payments.map(toRefunded);
      const outcomes = refunded.map(async (payment, at) =>
        store.transition({
          ...moveOf(payment, "succeeded", at % 2 === 0 ? { key: `refund-${at}` } : {}),
          activity: [activityOf(`act_${payment.id}`)],
        }),
      );
      expect(await Promise.all(outcomes)).toEqual(payments.map(() => written));
      expect(await allPages(store)).toEqual(refunded.toReversed());
      for (const { id } of payments) {
        const range = { below: "evt_g", above: "", limit: 10, direction: "forward" } as const;
        const filters = { type: undefined, paymentId: id };
        const { items } = await store.listEvents(scope, { ...range, ...filters });
        const types = items.map((json) => (JSON.parse(json) as { type: string }).type);
        expect(types).toEqual(["payment.refunded", "payment.succeeded"]);
      }
      expect(await deliveriesOf(store, endpoint)).toHaveLength(groupSize);
      const listed = await store.listActivity(scope.accountId, {
        below: "act_q",
        above: "",
        limit: 100,
        direction: "forward",
      });
      expect(listed.items).toHaveLength(groupSize);
    });

    contended("a create that fails is refused alone", async ({ store }) => {
      const [present, ...payments] = paymentsIn("succeeded");
      if (!present) throw new Error("There is no payment.");
      await store.createPayment(() => writeOf(present));
      const all = payments.toSpliced(20, 1, { ...present, description: "the same id" });
      const outcomes = await Promise.allSettled(
        all.map((each, at) => store.createPayment(() => writeOf(each, { key: `order-${at}` }))),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        all.map((_, at) => (at === 20 ? "rejected" : "fulfilled")),
      );
      const others = payments.toSpliced(20, 1);
      expect(await allPages(store)).toEqual([present, ...others].toReversed());
      expect(await store.findStoredResponse(scope, "order-20", atMs)).toBeUndefined();
    });

    contended("a create whose payment cannot be made fails alone", async ({ store }) => {
      const payments = paymentsIn("succeeded", 3);
      const outcomes = await Promise.allSettled(
        payments.map((each, at) =>
          store.createPayment(() => {
            if (at === 1) throw new Error("It cannot be made.");
            return writeOf(each);
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    });

    contended(
      "of several creates with the same key one is written, and the others are replayed or refused",
      async ({ store }) => {
        const payments = paymentsIn("succeeded", 4);
        const fingerprints = ["f", "f", "f", "other"];
        const outcomes = await Promise.all(
          payments.map(async (each, at) =>
            store.createPayment(() =>
              writeOf(each, { key: "order-1", fingerprint: fingerprints[at] ?? "" }),
            ),
          ),
        );
        // Mostly the first; transactions at the same time may also be repeated in another order.
        const first = outcomes.findIndex(({ outcome }) => outcome === "written");
        const response = { status: 201, body: payments[first]?.id };
        expect(outcomes).toEqual(
          fingerprints.map((fingerprint, at) => {
            if (at === first) return written;
            const outcome = fingerprint === fingerprints[first] ? "replayed" : "mismatch";
            return { outcome, response };
          }),
        );
        expect(await allPages(store)).toEqual(payments.slice(first, first + 1));
      },
    );

    contended("the same key of another account is another key", async ({ store }) => {
      const payments = paymentsIn("succeeded", 4);
      const outcomes = payments.map(async (each, at) => {
        const of = at < 2 ? scope : otherAccount;
        return store.createPayment(() => writeOf(each, { key: `order-${at % 2}`, scope: of }));
      });
      expect(await Promise.all(outcomes)).toEqual(payments.map(() => written));
      expect(await allPages(store)).toEqual(payments.slice(0, 2).toReversed());
      expect(await allPages(store, otherAccount)).toEqual(payments.slice(2).toReversed());
    });

    contended(
      "of the same payment one refund is written, the others conflict or replay",
      async ({ store }) => {
        const [payment, neighbour] = paymentsIn("succeeded", 2);
        if (!payment || !neighbour) throw new Error("There is no payment.");
        for (const each of [payment, neighbour]) await store.createPayment(() => writeOf(each));
        const keyed = moveOf(toRefunded(payment), "succeeded", { key: "refund-1" });
        const outcomes = await Promise.all([
          store.transition(keyed),
          store.transition(moveOf(toRefunded(neighbour), "succeeded", { key: "refund-2" })),
          store.transition(moveOf(toRefunded(payment), "succeeded")),
          store.transition(moveOf(toRefunded(payment), "succeeded", { key: "refund-3" })),
          store.transition(keyed),
        ]);
        // Writes of two groups may overtake each other, so any of the four may be the one that is written.
        const [first, ofNeighbour, ...others] = outcomes.map(({ outcome }) => outcome);
        expect(ofNeighbour).toBe("written");
        const ofPayment = [first, ...others];
        expect(ofPayment.filter((outcome) => outcome === "written")).toHaveLength(1);
        for (const outcome of ofPayment)
          expect(["written", "conflict", "replayed"]).toContain(outcome);
      },
    );

    contended(
      "of several payments' refunds with the same key one is written, and the others are refused",
      async ({ store }) => {
        const payments = paymentsIn("succeeded", 4);
        for (const each of payments) await store.createPayment(() => writeOf(each));
        const outcomes = await Promise.all(
          payments.map((each, at) =>
            store.transition(
              moveOf(toRefunded(each), "succeeded", { key: "refund-1", fingerprint: `f${at}` }),
            ),
          ),
        );
        const first = outcomes.findIndex(({ outcome }) => outcome === "written");
        const mismatch = {
          outcome: "mismatch",
          response: { status: 201, body: payments[first]?.id },
        };
        expect(outcomes).toEqual(payments.map((_, at) => (at === first ? written : mismatch)));
        const stored = payments.map((each, at) => (at === first ? toRefunded(each) : each));
        expect(await allPages(store)).toEqual(stored.toReversed());
      },
    );

    contended(
      "a create and a refund with the same key: one is written, the other is refused",
      async ({ store }) => {
        const [payment, next] = paymentsIn("succeeded", 2);
        if (!payment || !next) throw new Error("There is no payment.");
        await store.createPayment(() => writeOf(payment));
        const outcomes = await Promise.all([
          store.createPayment(() => writeOf(next, { key: "once", fingerprint: "create" })),
          store.transition(
            moveOf(toRefunded(payment), "succeeded", { key: "once", fingerprint: "refund" }),
          ),
        ]);
        expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(["mismatch", "written"]);
        const isCreated = outcomes[0].outcome === "written";
        const stored = isCreated ? [next, payment] : [toRefunded(payment)];
        expect(await allPages(store)).toEqual(stored);
      },
    );

    contended(
      "creates, refunds and charges' outcomes go through side by side",
      async ({ store }) => {
        const [succeeded, charged] = [paymentsIn("succeeded", 10), paymentsIn("pending", 10)];
        for (const each of succeeded) await store.createPayment(() => writeOf(each));
        for (const each of charged)
          await store.createPayment(() => writeOf(each, { charge: storedCharge() }));
        const created = paymentsIn("succeeded", 10);
        const outcomes = await Promise.all([
          ...created.map(async (each) => store.createPayment(() => writeOf(each))),
          ...succeeded.map((each) => store.transition(moveOf(toRefunded(each), "succeeded"))),
          ...charged.map(({ id: paymentId }) =>
            store.updateCharge({
              scope,
              paymentId,
              from: "charge",
              charge: { reference: "ref", attempts: 1, dueAtMs: atMs },
            }),
          ),
        ]);
        const expected = [
          ...Array.from({ length: 20 }, () => written),
          ...charged.map(() => "written"),
        ];
        expect(outcomes).toEqual(expected);
        for (const { id } of charged)
          expect(await store.findCharge(scope, id)).toMatchObject({
            reference: "ref",
            attempts: 1,
          });
        expect(await readPayment(store, scope, succeeded[9]?.id ?? "")).toMatchObject({
          status: "refunded",
        });
      },
    );
  });
}
