import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { ServiceError } from "../../../src/service/domain/service-error.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { everything } from "../store/contract/endpoints.ts";
import { parsedPayment } from "../../testkit/database/read.ts";
import { temporaryFile } from "../../testkit/temporary-file.ts";
import { hostedBody, tokenOf, typedVisa } from "../../testkit/service/open-page.ts";
import {
  bodyWith,
  declined,
  hppExpiryMs,
  openTestService,
} from "../../testkit/service/open-test-service.ts";

/** Two processes on one database, which know nothing of each other but the time. */
async function twoServices() {
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

/** The states that a payment has been in, as it says itself: a card that is not declined is paid at once. */
function historyOf(payment: Payment): string[] {
  const wasPaidAtOnce = payment.redirect_url === null && payment.succeeded_at !== null;
  return [
    ...(wasPaidAtOnce ? [] : ["payment.pending"]),
    ...(payment.succeeded_at === null ? [] : ["payment.succeeded"]),
    ...(payment.failed_at === null ? [] : ["payment.failed"]),
    ...(payment.refunded_at === null ? [] : ["payment.refunded"]),
  ];
}

test("whatever two processes do at once, a payment's events are its history, none twice and none missing", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 3, maxLength: 8 }),
      async (rounds) => {
        const both = await twoServices();
        const scope = both[0].test;
        const payments: Payment[] = [];
        const made = async (answer: Promise<{ body: string }>) =>
          payments.push(JSON.parse((await answer).body) as Payment);
        const act = async ({ by, does, key, which }: Step): Promise<unknown> => {
          const { service } = both[by];
          const request =
            key === undefined ? undefined : { key: `${does} ${key}`, fingerprint: does };
          const payment = payments[which % payments.length];
          const pages = payments.filter((each) => each.redirect_url !== null);
          const page = pages[which % pages.length];
          switch (does) {
            case "pay":
              return made(service.createPayment(scope, bodyWith(), request));
            case "decline":
              return made(service.createPayment(scope, declined, request));
            case "host":
              return made(service.createHostedPayment(scope, hostedBody, request));
            case "type":
              return page && service.payPage(tokenOf(page), typedVisa);
            case "cancel":
              return page && service.cancelPage(tokenOf(page));
            case "refund":
              return payment && service.refundPayment(scope, payment.id, request);
            default:
              for (const { time } of both) time.nowMs += does === "settle" ? 1_000 : hppExpiryMs;
              return service.settlePayments();
          }
        };
        for (const round of rounds) {
          const outcomes = await Promise.allSettled(round.map(act));
          const faults = outcomes.filter(
            (each) => each.status === "rejected" && !(each.reason instanceof ServiceError),
          );
          expect(faults).toEqual([]);
        }
        const [{ service, store }] = both;
        const ids = new Set(payments.map(({ id }) => id));
        for (const id of ids) {
          const payment = parsedPayment(await service.getPayment(scope, id));
          const { items } = await store.listEvents(scope, {
            ...everything,
            below: "evt_g",
            type: undefined,
            paymentId: id,
          });
          const events = items
            .map((json) => JSON.parse(json) as Event)
            .toSorted((a, b) => a.sequence - b.sequence);
          const history = historyOf(payment);
          seen.add(history.join());
          expect(events.map(({ type }) => type)).toEqual(history);
          expect(events.map(({ sequence }) => sequence)).toEqual(history.map((_, i) => i + 1));
          // A payment that is pending may have taken a card since.
          const shown = payment.status === "pending" ? events.at(-1)?.data.object : payment;
          expect(events.at(-1)?.data.object).toEqual(shown);
        }
        const all = await store.listEvents(scope, {
          ...everything,
          below: "evt_g",
          type: undefined,
          paymentId: undefined,
        });
        for (const json of all.items)
          expect(ids).toContain((JSON.parse(json) as Event).data.object.id);
      },
    ),
    { numRuns: 30 },
  );
  // What has been tried tells something: every way to end, and to be refunded.
  expect(seen.size).toBeGreaterThanOrEqual(4);
});
