import { findBrand } from "../../contract/card.ts";
import type { CardInput } from "../../contract/payment.ts";
import type { Charge } from "./card-network.ts";
import {
  type AdapterPromise,
  BrokenPromise,
  type Outcome,
  type Trial,
  approvedCard,
  canceled,
  chargeCard,
  expectCancelable,
  expectCanceledForGood,
  expectMadeOnce,
  expectOutcome,
  expectSame,
} from "./adapter-trial.ts";
import { toSecretRefused } from "./http-network.ts";
import type { NetworkTransaction } from "./network-transactions.ts";

const declinedCard: CardInput = { ...approvedCard, number: "4000000000000002" };

/** The promises of an adapter (docs/network-protocol.md) that can be tested from outside. */
export const adapterPromises: readonly AdapterPromise[] = [
  [
    "a request with a wrong secret, or without one, is refused with 401",
    async ({ adapter, unauthorized, newCharge }) => {
      const refused = toSecretRefused(401);
      for (const caller of unauthorized) {
        const charge = newCharge();
        expectSame("a charge", await caller.charge(charge, approvedCard), refused);
        expectSame("a look-up", await caller.lookUp(charge), refused);
        expectSame("a cancel", await caller.cancel(charge), refused);
        expectSame("a refund", await caller.refund(charge), refused);
        expectSame("its look-up with the right secret", await adapter.lookUp(charge), notFound);
      }
    },
  ],
  [
    "a charge that was never sent is answered with 404, unknown",
    async ({ adapter, newCharge }) =>
      expectSame("its look-up", await adapter.lookUp(newCharge()), notFound),
  ],
  ["the card 4242 4242 4242 4242 is approved", async (trial) => void (await chargeApproved(trial))],
  [
    "a reference contains no card number",
    async (trial) => {
      const { first } = await chargeApproved(trial);
      if (first.isMasked) {
        throw new BrokenPromise("the reference of a charge has the card's number in it");
      }
    },
  ],
  [
    "an approved charge is found by its id",
    async (trial) => {
      const { charge, first } = await chargeApproved(trial);
      expectSame("its look-up", await trial.adapter.lookUp(charge), first);
    },
  ],
  [
    "a charge that is sent again is made once",
    async (trial) => expectMadeOnce(trial, await chargeApproved(trial), approvedCard),
  ],
  [
    "a charge that is sent five times at once is made once",
    async ({ adapter, newCharge }) => {
      const charge = newCharge();
      const sent = [1, 2, 3, 4, 5].map(async () => adapter.charge(charge, approvedCard));
      const [first, ...others] = await Promise.all(sent);
      const found = await adapter.lookUp(charge);
      for (const answer of [first, ...others]) if (answer) expectSame("an answer", answer, found);
      expectOutcome("the charge", found, "approved");
    },
  ],
  [
    "an approved charge that is sent again with another card is not made again",
    async (trial) => expectMadeOnce(trial, await chargeApproved(trial), declinedCard),
  ],
  [
    "the card 4000 0000 0000 0002 is declined, and its charge found so by its id",
    async (trial) => {
      const { charge, first } = await chargeDeclined(trial);
      expectSame("its look-up", await trial.adapter.lookUp(charge), first);
    },
  ],
  [
    "a declined charge that is sent again with another card is not made",
    async (trial) => expectMadeOnce(trial, await chargeDeclined(trial), approvedCard),
  ],
  [
    "an approved charge is canceled, also the second time, and found so by its id",
    async (trial) => {
      const { charge } = await chargeApproved(trial);
      await expectCancelable(trial, charge);
    },
  ],
  [
    "a canceled charge that is sent again is not made again",
    async (trial) => {
      const { charge } = await chargeApproved(trial);
      await expectCanceledForGood(trial, charge, approvedCard);
    },
  ],
  [
    "a charge that is sent after its cancel is not made",
    async ({ adapter, newCharge }) => {
      const charge = newCharge();
      expectSame("the cancel", await adapter.cancel(charge), canceled);
      expectSame("its look-up", await adapter.lookUp(charge), canceled);
      expectOutcome(
        "the charge",
        await adapter.charge(charge, approvedCard),
        "declined",
        "canceled",
      );
      expectSame("its look-up after that", await adapter.lookUp(charge), canceled);
    },
  ],
  [
    "a refund is made once, also where it is sent twice at once, and again",
    async (trial) => {
      const { charge } = await chargeApproved(trial);
      const refund = async () => trial.adapter.refund(charge);
      const [first, second] = await Promise.all([refund(), refund()]);
      expectOutcome("the refund", first, "refunded");
      trial.isRefunded(charge);
      expectSame("the second answer", second, first);
      expectSame("the third answer", await refund(), first);
    },
  ],
  [
    "a declined charge is not refunded",
    async (trial) => {
      const { charge } = await chargeDeclined(trial);
      expectOutcome("the refund", await trial.adapter.refund(charge), "declined");
    },
  ],
];

const notFound: Outcome = { outcome: "not_found" };

const chargeApproved = async (trial: Trial) => chargeCard(trial, approvedCard, "approved");
const chargeDeclined = async (trial: Trial) => chargeCard(trial, declinedCard, "declined");

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

/** The promises of an adapter about its transactions, which it need not offer. */
export const transactionPromises: readonly AdapterPromise[] = [
  [
    "the transactions have each charge once, and each refund once",
    async (trial) => {
      const { charge: charged } = await chargeCard(trial, approvedCard, "approved");
      const { charge: refunded } = await chargeCard(trial, approvedCard, "approved");
      expectOutcome("the refund", await trial.adapter.refund(refunded), "refunded");
      trial.isRefunded(refunded);
      const found = await trial.listTransactions();
      if (found === "not_offered") return "not offered";
      expectTransactions("a charge", charged, found, ["charge"]);
      expectTransactions("a refunded charge", refunded, found, ["charge", "refund"]);
      return undefined;
    },
  ],
  [
    "the transactions are refused with 401 to a wrong secret, and without one",
    async (trial) => {
      for (const page of await trial.listUnauthorized()) {
        if (page.outcome === "not_offered") return "not offered";
        const answer = page.outcome === "unknown" ? page.reason : page.outcome;
        const expected = toSecretRefused(401).reason;
        if (answer !== expected) throw new BrokenPromise(`${answer}, instead of: ${expected}`);
      }
      return undefined;
    },
  ],
];

function expectTransactions(
  step: string,
  { id, amount, currency }: Charge,
  found: NetworkTransaction[],
  expected: string[],
): void {
  const own = found.filter(({ payment }) => payment === id);
  const types = own.map(({ type }) => type).toSorted();
  if (types.join() !== expected.join()) {
    const have = types.length === 0 ? "nothing" : types.join(", ");
    throw new BrokenPromise(
      `${step}: the transactions have ${have}, instead of ${expected.join(", ")}`,
    );
  }
  if (own.some((one) => one.amount !== amount || one.currency !== currency)) {
    throw new BrokenPromise(`${step}: the transactions have another amount or currency`);
  }
}
