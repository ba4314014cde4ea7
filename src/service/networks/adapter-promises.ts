import type { CardInput } from "../../contract/payment.ts";
import {
  approvedCard,
  BrokenPromise,
  canceled,
  chargeCard,
  expectCancelable,
  expectCanceledForGood,
  expectMadeOnce,
  expectOutcome,
  expectSame,
  type AdapterPromise,
  type Outcome,
  type Trial,
} from "./adapter-trial.ts";
import { toSecretRefused } from "./http-network.ts";

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
