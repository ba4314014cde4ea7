import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { ServiceError } from "../../../src/contract/error.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { newAccount, parsePayment } from "../../testkit/database/records.ts";
import { everything } from "../database/contract/endpoints.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import {
  bodyWith,
  declined,
  hostedBody,
  hppExpiryMs,
  openTestService,
  tokenOf,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

/** Two services on one database, with separate clocks. */
async function openTwoServices() {
  const database = await newDatabase(temporaryFile());
  const open = async () => {
    const store = await openStore(await openDriver(database), newAccount());
    onTestFinished(async () => store.close());
    return await openTestService({ store });
  };
  return [await open(), await open()] as const;
}

const step = fc.record({
  by: fc.constantFrom(0, 1),
  does: fc.constantFrom("pay", "decline", "host", "type", "cancel", "refund", "settle", "expire"),
  key: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
  which: fc.nat({ max: 5 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The events of a payment, derived from its fields: a card that is not declined is paid at once. */
function deriveHistory(payment: Payment): string[] {
  const wasPaidAtOnce = payment.redirect_url === null && payment.succeeded_at !== null;
  return [
    ...(wasPaidAtOnce ? [] : ["payment.pending"]),
    ...(payment.succeeded_at === null ? [] : ["payment.succeeded"]),
    ...(payment.failed_at === null ? [] : ["payment.failed"]),
    ...(payment.refunded_at === null ? [] : ["payment.refunded"]),
  ];
}

test("a payment's events are its complete history without duplicates, after any concurrent steps of two services", async () => {
  const both = await openTwoServices();
  const [{ service, store, test: scope }] = both;
  const listEvents = async (paymentId?: string) => {
    const filters = { ...everything, below: "evt_g", type: undefined, paymentId };
    const { items } = await store.listEvents(scope, filters);
    return items.map((json) => JSON.parse(json) as Event);
  };
  const histories = new Set<string>();
  const ids = new Set<string>();
  let run = 0;
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 }),
    async (rounds) => {
      run++;
      const payments: Payment[] = [];
      const created = async (response: Promise<{ body: string }>) =>
        payments.push(JSON.parse((await response).body) as Payment);
      const act = async ({ by, does, key, which }: Step): Promise<unknown> => {
        const { service: own } = both[by];
        const request = key && { key: `${does} ${key} ${run}`, fingerprint: does };
        const payment = payments[which % payments.length];
        const pages = payments.filter((each) => each.redirect_url !== null);
        const page = pages[which % pages.length];
        switch (does) {
          case "pay":
            return created(own.createPayment(scope, bodyWith(), request || undefined));
          case "decline":
            return created(own.createPayment(scope, declined, request || undefined));
          case "host":
            return created(own.createHostedPayment(scope, hostedBody, request || undefined));
          case "type":
            return page && own.payPage(tokenOf(page), typedVisa);
          case "cancel":
            return page && own.cancelPage(tokenOf(page));
          case "refund":
            return payment && own.refundPayment(scope, payment.id, request || undefined);
          default:
            for (const { time } of both) time.nowMs += does === "settle" ? 1_000 : hppExpiryMs;
            return own.settlePayments();
        }
      };
      for (const round of rounds) {
        const outcomes = await Promise.allSettled(round.map(act));
        const faults = outcomes.filter(
          (each) => each.status === "rejected" && !(each.reason instanceof ServiceError),
        );
        expect(faults).toEqual([]);
      }
      for (const { id } of payments) {
        ids.add(id);
        const payment = parsePayment(await service.getPayment(scope, id));
        const events = (await listEvents(id)).toSorted((a, b) => a.sequence - b.sequence);
        const history = deriveHistory(payment);
        histories.add(history.join());
        expect(events.map(({ type }) => type)).toEqual(history);
        expect(events.map(({ sequence }) => sequence)).toEqual(history.map((_, i) => i + 1));
        // A pending payment may have got a card since its event.
        const last = events.at(-1)?.data.object;
        expect(last).toEqual(payment.status === "pending" ? last : payment);
      }
      for (const event of await listEvents()) expect(ids).toContain(event.data.object.id);
    },
  );
  await fc.assert(property, { numRuns: 30 });
  // The steps led to payments of every final status.
  expect(histories.size).toBeGreaterThanOrEqual(4);
});
