import { describe, expect, test } from "vitest";
import { cardWith } from "../../testkit/network/charge-with.ts";
import { openStripe, prepareCharge, returnUrl } from "../../testkit/network/open-stripe.ts";
import { cardRequiringAction, cardRequiringScript } from "../../testkit/network/stripe-cards.ts";
import { answerWith, dropRequest, lost } from "../../testkit/network/stripe-stand-in.ts";

const card = cardWith({ number: cardRequiringAction });
const canceled = { outcome: "canceled" };
const unknown = { outcome: "unknown" };
const declined = { outcome: "declined", code: "authentication_required" };

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
    ["with an empty address", redirect("")],
    ["with a relative address", redirect("/challenge")],
    ["with an address without encryption", redirect("http://bank.example.com/")],
    ["with another scheme", redirect("bank-app://challenge")],
    ["with credentials in the address", redirect("https://ada:secret@bank.example.com/")],
    ["with a long address", redirect(`https://bank.example.com/${"a".repeat(2_048)}`)],
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

  test.each([
    ["has the card's number, in digits", `https://bank.example.com/?card=${cardRequiringAction}`],
    ["has it in groups", "https://bank.example.com/4000-0027-6000-3184"],
  ])("no customer is sent to an address that %s", async (_, url) => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network, { returnUrl });
    stripe.next("confirm", answerWith({ next_action: redirect(url) }));
    const outcome = { outcome: "action", url: null, isMasked: true };
    expect(await network.charge(charge, card)).toMatchObject(outcome);
    expect(await network.cancel(charge)).toEqual(canceled);
  });
});

test("a bank's usual address is passed on as browsers write it", async () => {
  const { network, stripe } = await openStripe();
  const charge = await prepareCharge(network, { returnUrl });
  const url = "https://HOOKS.example.com/3d secure?id=5555555555554444";
  const next_action = { type: "redirect_to_url", redirect_to_url: { url } };
  stripe.next("confirm", answerWith({ next_action }));
  expect(await network.charge(charge, card)).toMatchObject({
    outcome: "action",
    url: "https://hooks.example.com/3d%20secure?id=5555555555554444",
  });
});

test("an answer about another intent sends no customer to the bank", async () => {
  const { network, stripe } = await openStripe();
  const charge = await prepareCharge(network, { returnUrl });
  stripe.next("confirm", answerWith({ amount: 4998 }));
  const mismatched = { ...unknown, isMismatched: true };
  expect(await network.charge(charge, card)).toMatchObject(mismatched);
});
