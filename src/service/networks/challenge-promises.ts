import { findBrand } from "../../contract/card.ts";
import {
  approvedCard,
  BrokenPromise,
  chargeCard,
  expectCancelable,
  expectCanceledForGood,
  expectMadeOnce,
  expectOutcome,
  expectSame,
  type AdapterPromise,
  type Trial,
} from "./adapter-trial.ts";

/** No browser is sent there: nobody opens the bank's page during a check. */
const returnUrl = "https://payments.invalid/pay/check/return";

/**
 * The promises of an adapter about a card whose bank asks the customer (3-D Secure) that can be tested without a
 * customer.
 */
export function buildChallengePromises(cardNumber: string): readonly AdapterPromise[] {
  const cvc = findBrand(cardNumber) === "amex" ? "1234" : "123";
  const card = { ...approvedCard, number: cardNumber, cvc };

  const begin = async (trial: Trial) => chargeCard(trial, card, "action", returnUrl);

  return [
    [
      "a charge of the challenge's card is answered with action, and a url for the browser",
      async (trial) => {
        const { first } = await begin(trial);
        if (first.url === null) throw new BrokenPromise(`the charge: ${brokenUrl}`);
      },
    ],
    [
      "a challenge's reference and url contain no card number",
      async (trial) => {
        const { first } = await begin(trial);
        if (first.isMasked) {
          const field = first.url === null ? "url" : "reference";
          throw new BrokenPromise(`the ${field} of a challenge has the card's number in it`);
        }
      },
    ],
    [
      "a challenge is found by the charge's id",
      async (trial) => {
        const { charge, first } = await begin(trial);
        expectSame("its look-up", await trial.adapter.lookUp(charge), first);
        expectSame("its second look-up", await trial.adapter.lookUp(charge), first);
      },
    ],
    [
      "a charge that is sent again begins one challenge",
      async (trial) => expectMadeOnce(trial, await begin(trial), card),
    ],
    [
      "a charge that is sent five times at once begins one challenge",
      async ({ adapter, newCharge }) => {
        const charge = newCharge(returnUrl);
        const sent = [1, 2, 3, 4, 5].map(async () => adapter.charge(charge, card));
        const answers = await Promise.all(sent);
        const found = await adapter.lookUp(charge);
        expectOutcome("its look-up", found, "action");
        for (const answer of answers) expectSame("an answer", answer, found);
      },
    ],
    [
      "a charge with a challenge that is sent again with another card is not made",
      async (trial) => expectMadeOnce(trial, await begin(trial), approvedCard),
    ],
    [
      "a cancel ends a challenge, also the second time, and is found by the charge's id",
      async (trial) => {
        const { charge } = await begin(trial);
        await expectCancelable(trial, charge);
      },
    ],
    [
      "a charge that is sent again after the cancel of its challenge begins none",
      async (trial) => {
        const { charge } = await begin(trial);
        await expectCanceledForGood(trial, charge, card);
      },
    ],
    [
      "a charge of the challenge's card without a return_url is decided without the customer",
      async ({ adapter, newCharge }) => {
        const charge = newCharge();
        const first = await adapter.charge(charge, card);
        expectOutcome("the charge", first, "declined", "approved");
        expectSame("its look-up", await adapter.lookUp(charge), first);
      },
    ],
  ];
}

const brokenUrl =
  "action with a url that is not https, or http on this machine, of at most 2,048 characters, without credentials and without the card's number";
