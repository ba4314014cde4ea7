import { describe, expect, test } from "vitest";
import type { CardNetwork } from "../../../src/service/networks/card-network.ts";
import { cardWith } from "../../testkit/network/fake-network.ts";
import {
  type Fault,
  answerWith,
  decideAtBank,
  dropRequest,
  failAfter,
  failBefore,
  lost,
  openChallenge,
  openStripe,
  prepareCharge,
  returnUrl,
} from "../../testkit/network/stripe-stand-in.ts";
import {
  cardDeclinedAfterAction,
  cardProcessedAfterAction,
  cardRequiringAction,
  cardRequiringScript,
  endProcessing,
} from "../../testkit/network/stripe-objects.ts";

const card = cardWith({ number: cardRequiringAction });
const canceled = { outcome: "canceled" };
const notFound = { outcome: "not_found" };
const unknown = { outcome: "unknown" };
const declined = { outcome: "declined", code: "authentication_required" };

async function askTwice(ask: () => ReturnType<CardNetwork["lookUp" | "cancel"]>) {
  return [await ask(), await ask()];
}

describe("a customer whom the bank asks", () => {
  test("is sent to its page, also after every look-up", async () => {
    const { network, charge, url, action } = await openChallenge();
    expect(await askTwice(async () => network.lookUp(charge))).toEqual([action, action]);
    expect(await (await fetch(url)).text()).toContain("Do you approve this payment?");
  });

  test("comes back to the return URL, and is charged where the bank approves", async () => {
    const { network, charge, url, approved, refundsOf } = await openChallenge();
    const { origin, pathname } = await decideAtBank(url, "approve");
    expect(origin + pathname).toBe(returnUrl);
    expect(await askTwice(async () => network.lookUp(charge))).toEqual([approved, approved]);
    expect(await network.refund(charge)).toMatchObject({ outcome: "refunded" });
    expect(refundsOf(charge)).toHaveLength(1);
  });

  test("who declines there is declined, and the intent can be canceled after that", async () => {
    const { network, charge, url, intentOf } = await openChallenge();
    await decideAtBank(url, "decline");
    expect(intentOf(charge).last_payment_error?.type).toBe("invalid_request_error");
    expect(await askTwice(async () => network.lookUp(charge))).toEqual([declined, declined]);
    expect(await network.cancel(charge)).toEqual(canceled);
  });

  test("who approves may still be declined, with the bank's code", async () => {
    const { network, charge, url } = await openChallenge(cardDeclinedAfterAction);
    await decideAtBank(url, "approve");
    const outcome = { outcome: "declined", code: "insufficient_funds" };
    expect(await network.lookUp(charge)).toEqual(outcome);
  });

  test("who approves waits while the charge is processed", async () => {
    const { network, charge, url, approved, intentOf } =
      await openChallenge(cardProcessedAfterAction);
    await decideAtBank(url, "approve");
    const { reference } = charge;
    const processing = { outcome: "processing", reference, retryAfterMs: 60_000 };
    expect(await network.lookUp(charge)).toEqual(processing);
    endProcessing(intentOf(charge));
    expect(await network.lookUp(charge)).toEqual(approved);
  });

  test("is no longer asked once the charge is canceled", async () => {
    const { network, charge, url, intentOf } = await openChallenge();
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(intentOf(charge)).toMatchObject({ status: "canceled", cancellation_reason: null });
    await expect(decideAtBank(url, "approve")).rejects.toThrow("HTTP 410");
    const later = [await network.lookUp(charge), await network.cancel(charge)];
    expect(later).toEqual([canceled, canceled]);
  });

  test("who never comes back is asked until the charge is canceled", async () => {
    const { network, charge, action } = await openChallenge();
    for (let look = 0; look < 5; look++) expect(await network.lookUp(charge)).toEqual(action);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(await network.charge(charge, card)).toMatchObject(unknown); // as a late request
    expect(await network.lookUp(charge)).toEqual(canceled);
  });

  test("who approved before the cancel gets the money back", async () => {
    const { network, charge, url, refundsOf } = await openChallenge();
    await decideAtBank(url, "approve");
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(refundsOf(charge)).toMatchObject([{ amount: charge.amount, status: "succeeded" }]);
    expect(await network.lookUp(charge)).toEqual(canceled);
  });

  test("who approves while the cancel is on its way gets the money back by the next one", async () => {
    const { network, stripe, charge, url, refundsOf } = await openChallenge();
    stripe.next("cancel", async (work) => {
      await decideAtBank(url, "approve");
      return work();
    });
    expect(await network.cancel(charge)).toMatchObject(unknown);
    expect(refundsOf(charge)).toEqual([]);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(refundsOf(charge)).toHaveLength(1);
  });
});

describe("a confirmation that is sent again", () => {
  test("is the same request to Stripe, and tells the outcome as it is by now", async () => {
    const { network, stripe, charge, url, action, approved } = await openChallenge();
    expect(await network.charge(charge, card)).toEqual(action);
    await decideAtBank(url, "approve");
    expect(await network.charge(charge, card)).toEqual(approved);
    const confirms = stripe.requests.filter(({ operation }) => operation === "confirm");
    const [first, ...others] = confirms.map(({ params, headers }) => ({
      params,
      key: headers["idempotency-key"],
    }));
    expect(first).toMatchObject({ params: { return_url: returnUrl } });
    expect(others).toEqual([first, first]);
  });

  test("charges nothing after the customer declined", async () => {
    const { network, charge, url } = await openChallenge();
    await decideAtBank(url, "decline");
    expect(await network.charge(charge, card)).toEqual(declined);
  });
});

test("a card whose bank asks nobody is approved, with a return URL too", async () => {
  const { network } = await openStripe();
  const charge = await prepareCharge(network, { returnUrl });
  const approved = { outcome: "approved", reference: charge.reference };
  expect(await network.charge(charge, cardWith())).toEqual(approved);
});

const redirect = (url: unknown) => ({ type: "redirect_to_url", redirect_to_url: { url } });

describe("where nobody can be asked, the bank has declined, and the intent is canceled:", () => {
  const usable = "https://bank.example.com/challenge";
  const marked = { status: "canceled", cancellation_reason: "abandoned" };

  test("without a return URL", async () => {
    const { network, stripe, intentOf } = await openStripe();
    const charge = await prepareCharge(network);
    expect(await network.charge(charge, card)).toEqual(declined);
    expect(intentOf(charge)).toMatchObject(marked);
    expect(await network.lookUp(charge)).toEqual(declined);
    expect(await network.cancel(charge)).toEqual(canceled);
    const confirm = stripe.requests.find(({ operation }) => operation === "confirm");
    expect(confirm?.params).not.toHaveProperty("return_url");
  });

  test("without a return URL, also where Stripe has a page", async () => {
    const { network, intentOf } = await openStripe();
    const charge = await prepareCharge(network, { returnUrl });
    expect(await network.charge(charge, card)).toMatchObject({ outcome: "action" });
    expect(await network.lookUp({ ...charge, returnUrl: null })).toEqual(declined);
    expect(intentOf(charge)).toMatchObject(marked);
  });

  test("through Stripe's script only", async () => {
    const { network, intentOf } = await openStripe();
    const charge = await prepareCharge(network, { returnUrl });
    const number = cardRequiringScript;
    expect(await network.charge(charge, cardWith({ number }))).toEqual(declined);
    expect(intentOf(charge)).toMatchObject(marked);
    expect(await network.lookUp(charge)).toEqual(declined);
  });

  test.each([
    ["with an address without encryption", redirect("http://bank.example.com/")],
    ["with no text for an address", redirect(1)],
    ["with null for an address", redirect(null)],
    ["without an address", { type: "redirect_to_url" }],
    ["with another action", { ...redirect(usable), type: "card_await_notification" }],
    ["with an action that is a text", usable],
    ["without an action", null],
  ])("%s", async (_, next_action) => {
    const { network, stripe, intentOf } = await openStripe();
    const charge = await prepareCharge(network, { returnUrl });
    stripe.next("confirm", answerWith({ next_action }));
    expect(await network.charge(charge, card)).toEqual(declined);
    expect(intentOf(charge)).toMatchObject(marked);
  });

  test("only where the look-up gets the answer", async () => {
    const { network, stripe, intentOf } = await openStripe();
    const charge = await prepareCharge(network);
    stripe.next("confirm", lost);
    expect(await network.charge(charge, card)).toMatchObject(unknown);
    expect(await network.lookUp(charge)).toEqual(declined);
    expect(intentOf(charge)).toMatchObject(marked);
  });

  test("not before Stripe has canceled it", async () => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network);
    stripe.next("cancel", dropRequest);
    expect(await network.charge(charge, card)).toMatchObject(unknown);
    expect(await network.lookUp(charge)).toEqual(declined);
  });

  test("no customer is sent to an address that has the card's number", async () => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network, { returnUrl });
    const next_action = redirect("https://bank.example.com/4000-0027-6000-3184");
    stripe.next("confirm", answerWith({ next_action }));
    const outcome = { outcome: "action", url: null, isMasked: true };
    expect(await network.charge(charge, card)).toMatchObject(outcome);
    expect(await network.cancel(charge)).toEqual(canceled);
  });
});

test("an answer about another intent sends no customer to the bank", async () => {
  const { network, stripe } = await openStripe();
  const charge = await prepareCharge(network, { returnUrl });
  stripe.next("confirm", answerWith({ amount: 4998 }));
  const mismatched = { ...unknown, isMismatched: true };
  expect(await network.charge(charge, card)).toMatchObject(mismatched);
});

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

describe("the stand-in", () => {
  test.each(["", "pay/page_1/return", "//payments.example.com"])(
    "refuses the return URL %j, so that nothing is confirmed",
    async (relative) => {
      const { network, intentOf } = await openStripe();
      const charge = await prepareCharge(network, { returnUrl: relative });
      expect(await network.charge(charge, card)).toEqual({
        outcome: "unknown",
        reason: "HTTP 400, invalid_request_error, url_invalid, return_url",
        isInvalid: true,
      });
      expect(intentOf(charge).status).toBe("requires_payment_method");
    },
  );

  test("tells the return URL which intent the customer decided about", async () => {
    const { charge, url } = await openChallenge();
    const { searchParams } = await decideAtBank(url, "decline");
    expect(Object.fromEntries(searchParams)).toEqual({
      payment_intent: charge.reference,
      payment_intent_client_secret: expect.any(String) as unknown,
      redirect_status: "failed",
    });
  });
});
