import { describe, expect, test } from "vitest";
import { cardWith } from "../../testkit/network/charge-with.ts";
import {
  openChallenge,
  openStripe,
  prepareCharge,
  returnUrl,
} from "../../testkit/network/open-stripe.ts";
import { decideAtBank } from "../../testkit/network/stripe-bank.ts";
import { cardRequiringAction } from "../../testkit/network/stripe-cards.ts";
import {
  dropRequest,
  failAfter,
  failBefore,
  lost,
  type Fault,
} from "../../testkit/network/stripe-stand-in.ts";

const card = cardWith({ number: cardRequiringAction });
const canceled = { outcome: "canceled" };
const notFound = { outcome: "not_found" };
const unknown = { outcome: "unknown" };

describe("where an answer about a challenge is lost", () => {
  test.each([
    ["create", notFound],
    ["card", notFound],
    ["confirm", { outcome: "action" }],
  ] as const)("of %s, the look-up says what was done", async (operation, outcome) => {
    const { network, stripe } = await openStripe();
    stripe.next(operation, lost);
    const charge = await prepareCharge(network, { returnUrl });
    expect(await network.charge(charge, card)).toMatchObject(unknown);
    expect(await network.lookUp(charge)).toMatchObject(outcome);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(stripe.account.of(charge.id)).toMatchObject([{ status: "canceled" }]);
  });

  test.each([
    ["lost", lost],
    ["never sent", dropRequest],
    ["a failure", failBefore],
  ] as [string, Fault][])("of a look-up (%s), the next one has it", async (_, fault) => {
    const { network, stripe, charge, url, action, approved } = await openChallenge();
    stripe.next("retrieve", fault);
    expect(await network.lookUp(charge)).toMatchObject(unknown);
    expect(await network.lookUp(charge)).toEqual(action);
    await decideAtBank(url, "approve");
    stripe.next("retrieve", fault);
    expect(await network.lookUp(charge)).toMatchObject(unknown);
    expect(await network.lookUp(charge)).toEqual(approved);
  });

  test.each([
    ["lost", lost],
    ["never sent", dropRequest],
    ["a failure before", failBefore],
    ["a failure after", failAfter],
  ] as [string, Fault][])("of a cancel (%s), the next one has it", async (_, fault) => {
    const { network, stripe, charge, intentOf } = await openChallenge();
    stripe.next("cancel", fault);
    expect(await network.cancel(charge)).toMatchObject(unknown);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(intentOf(charge).status).toBe("canceled");
  });

  test("of the refund after an approval, the money is given back once", async () => {
    const { network, stripe, charge, url, refundsOf } = await openChallenge();
    await decideAtBank(url, "approve");
    stripe.next("refund", lost);
    expect(await network.cancel(charge)).toMatchObject(unknown);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(refundsOf(charge)).toHaveLength(1);
  });
});
