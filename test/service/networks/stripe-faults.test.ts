import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import type { Unknown } from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "../../testkit/network/fake-network.ts";
import {
  answers,
  dropRequest,
  failAfter,
  failBefore,
  lost,
  returnUrl,
  secretKey,
  startStripeStandIn,
} from "../../testkit/network/stripe-stand-in.ts";
import {
  cardDeclinedAfterAction,
  cardRequiringAction,
  cardRequiringScript,
} from "../../testkit/network/stripe-objects.ts";
import { failure } from "../../testkit/network/stripe-account.ts";

// PAYMENTS_MODEL_RUNS=10000 runs more cases. A failure prints its seed and path for fc.assert.
const runs = Number(process.env["PAYMENTS_MODEL_RUNS"] ?? 150);
const maxFaults = 4;
const fault = fc.constantFrom(
  lost,
  dropRequest,
  failBefore,
  failAfter,
  () => failure(429, { type: "invalid_request_error" }),
  answers(502, "<html>"),
  answers(200, '"text"'),
);
const faults = fc.array(
  fc.tuple(fc.constantFrom("create", "card", "confirm", "retrieve", "cancel", "refund"), fault),
  { maxLength: maxFaults },
);
const number = fc.constantFrom(
  "4242424242424242",
  "4242424242424242",
  "4242424242424242",
  "4000000000000002",
  "4000000000000119",
  cardRequiringAction,
  cardRequiringAction,
  cardDeclinedAfterAction,
  cardRequiringScript,
);
const page = fc.constantFrom(null, returnUrl);
/** The decision of the customer at the bank. */
const decision = fc.constantFrom("approve", "decline", "leave");
const nextAction = fc.constantFrom("none", "cancel", "refund");

/** Repeats a call until its outcome is known, as the service does. */
async function askUntilKnown<O extends { outcome: string }>(
  ask: () => Promise<O | Unknown>,
): Promise<O> {
  for (let tries = 0; tries <= maxFaults; tries++) {
    const answer = await ask();
    if (answer.outcome !== "unknown") return answer as O;
  }
  throw new Error("The outcome stays unknown.");
}

test("after any faults the final outcome matches Stripe's state", async () => {
  const property = fc.asyncProperty(
    faults,
    number,
    nextAction,
    page,
    decision,
    async (faultsByOperation, card, then, returnPage, decided) => {
      const stripe = await startStripeStandIn();
      for (const [operation, what] of faultsByOperation) stripe.next(operation, what);
      const network = createStripeNetwork({ secretKey, version: "1.2.3", baseUrl: stripe.url });

      const charge = chargeWith({ returnUrl: returnPage });
      const named = await network.prepare?.(charge);
      if (named?.outcome === "prepared") charge.reference = named.reference;
      const answer = await network.charge(charge, cardWith({ number: card }));
      let found =
        answer.outcome === "unknown"
          ? await askUntilKnown(async () => network.lookUp(charge))
          : answer;
      if (found.outcome === "action" && decided !== "leave") {
        stripe.account.decideAtBank(found.reference, decided === "approve");
        if (then !== "cancel") found = await askUntilKnown(async () => network.lookUp(charge));
      }
      let end: string = found.outcome;
      if (end === "not_found" || end === "action" || then === "cancel") {
        ({ outcome: end } = await askUntilKnown(async () => network.cancel(charge)));
      } else if (end === "approved" && then === "refund") {
        ({ outcome: end } = await askUntilKnown(async () => network.refund(charge)));
      }
      await network.charge(charge, cardWith({ number: card })); // as a late request
      await network.close();

      const intents = stripe.account.of(charge.id);
      const succeeded = intents.filter(({ status }) => status === "succeeded");
      const refunds = succeeded.flatMap(({ latest_charge }) => latest_charge?.refunds.data ?? []);
      expect(intents.length).toBeLessThanOrEqual(1);
      expect(intents.map(({ status }) => status)).not.toContain("requires_action");
      expect(succeeded.length - refunds.length).toBe(end === "approved" ? 1 : 0);
      expect(["approved", "declined", "canceled", "refunded"]).toContain(end);
    },
  );
  await fc.assert(property, { numRuns: runs });
});
