import { expect, onTestFinished, test } from "vitest";
import { createStripeTransactions } from "../../../src/service/networks/stripe-network.ts";
import {
  listPages,
  type NetworkTransaction,
} from "../../../src/service/networks/network-transactions.ts";
import { cardWith } from "../../testkit/network/fake-network.ts";
import {
  type StripeStandIn,
  failBefore,
  openStripe,
  prepareCharge,
  secretKey,
} from "../../testkit/network/stripe-stand-in.ts";
import { newTransaction } from "../../testkit/network/stripe-objects.ts";
import { failure } from "../../testkit/network/stripe-account.ts";

const range = { from: 0, to: 4_000_000_000 };

async function list(stripe: StripeStandIn): Promise<NetworkTransaction[]> {
  const settings = { secretKey, version: "1.2.3", baseUrl: stripe.url };
  const source = createStripeTransactions(settings);
  onTestFinished(async () => source.close());
  const { signal } = new AbortController();
  const options = { name: "Stripe", signal, wait: async () => undefined };
  const all: NetworkTransaction[] = [];
  for await (const page of listPages(source, range, options)) all.push(...page);
  return all;
}

/** An account with a charge, and a charge that is refunded. */
async function openWithCharges() {
  const opened = await openStripe();
  const { network } = opened;
  const charges = [await prepareCharge(network), await prepareCharge(network)] as const;
  for (const charge of charges) await network.charge(charge, cardWith());
  await network.refund(charges[1]);
  return { ...opened, charges };
}

test("Stripe's balance transactions name their payments, in what the customer paid", async () => {
  const { stripe, charges, intentOf } = await openWithCharges();
  const [charged, refunded] = charges;
  const intent = { ...intentOf(charged), latest_charge: null };
  const dispute = { id: "dp_1", amount: 4999, currency: "eur", created: 1_900_000_000 };
  stripe.account.otherTransactions.push(
    // The account has another currency than the customer's card.
    {
      ...newTransaction("dispute", dispute, intent),
      currency: "usd",
      amount: -5_555,
    },
    { ...newTransaction("payout", { ...dispute, id: "po_1" }), source: null },
  );
  const { amount, currency } = charged;
  const found = await list(stripe);
  expect(found).toHaveLength(5);
  expect(found).toEqual(
    expect.arrayContaining(
      [
        { payment: charged.id, type: "charge", amount, currency },
        { payment: refunded.id, type: "charge", amount, currency },
        { payment: refunded.id, type: "refund", amount, currency },
        { payment: charged.id, type: "dispute", amount: 4999, currency: "eur" },
        { payment: "", type: "payout", amount: 4999, currency: "eur" },
      ].map((fields) => expect.objectContaining(fields) as unknown),
    ),
  );
});

test("all pages of Stripe's balance transactions are read, each once", async () => {
  const { stripe } = await openStripe();
  const other = { id: "fee", amount: 1, currency: "eur", created: 1_800_000_000 };
  for (let index = 0; index < 120; index++) {
    const id = `fee_${String(index).padStart(3, "0")}`;
    stripe.account.otherTransactions.push(newTransaction("fee", { ...other, id, amount: index }));
  }
  const amounts = (await list(stripe)).map(({ amount }) => amount);
  expect(amounts).toEqual(Array.from({ length: 120 }, (_, index) => 119 - index));
  expect(stripe.requests.map(({ operation }) => operation)).toEqual(
    Array.from({ length: 3 }, () => "transactions"),
  );
});

test("a page that Stripe fails to give is asked for again", async () => {
  const { stripe } = await openWithCharges();
  stripe.next("transactions", failBefore);
  stripe.next("transactions", failBefore);
  expect(await list(stripe)).toHaveLength(3);
});

test("a key that Stripe refuses ends the list at once", async () => {
  const { stripe } = await openStripe();
  stripe.next("transactions", () => failure(403, { type: "invalid_request_error" }));
  await expect(list(stripe)).rejects.toThrow(/^Stripe gives no transactions: HTTP 403/);
  expect(stripe.requests).toHaveLength(1);
});
