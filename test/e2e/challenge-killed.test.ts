import { expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  createTemporaryFolder,
  startServingWith,
  type Serving,
} from "../testkit/command/installed-command.ts";
import { endLeases } from "../testkit/deployment/replicas.ts";
import {
  type AdapterCall,
  type Book,
  type Plan,
  cardNumbers,
  createPageCustomer,
  decideAtBank,
  findDifferences,
  startFailingAdapter,
} from "../testkit/deployment/failing-bank.ts";

const card = { number: cardNumbers.asked, expiry: "12/40", cvc: "123", name: "Ada" };
const variables = { PAYMENTS_NETWORK_SECRET: "secret" };
const approves: Plan = { decides: "approve", afterwards: "comes back" };
const cancels: Plan = { decides: "nothing", afterwards: "cancels" };

/** A call at which the service is killed, before its effect or before its answer is written, and the page's end. */
const deaths: [call: AdapterCall, plan: Plan, end: string][] = [
  [{ name: "charge", isDone: false }, approves, "declined"], // it never arrived, so it is canceled
  [{ name: "charge", isDone: true }, approves, "paid"],
  [{ name: "lookUp", isDone: false }, approves, "paid"],
  [{ name: "lookUp", isDone: true }, approves, "paid"],
  [{ name: "cancel", isDone: false }, cancels, "canceled"],
  [{ name: "cancel", isDone: true }, cancels, "canceled"],
];

test("a service that is killed at any call about a challenge goes on from what was written", async () => {
  const books = new Map<string, Book>();
  let serving: Serving | undefined;
  let next: { call: AdapterCall; killed: () => void } | undefined;
  const adapter = await startFailingAdapter(books, ({ name, isDone }) => {
    if (name !== next?.call.name || isDone !== next.call.isDone) return false;
    void serving?.kill("SIGKILL").then(next.killed);
    next = undefined;
    return true;
  });
  const home = createTemporaryFolder();
  const { key } = await createKey(home, "live");
  const start = async () =>
    (serving = await startServingWith(variables, home, "--network", adapter));
  const openPayments = ({ url }: Serving) => {
    const client = new PaymentsClient({ baseUrl: url, apiKey: key });
    onTestFinished(() => client.close());
    return client.payments;
  };
  const customer = createPageCustomer(() => serving?.url ?? "");
  let payments = openPayments(await start());

  for (const [call, plan, expected] of deaths) {
    const body = { amount: 4999, currency: "eur" } as const;
    const { id, redirect_url: page } = await payments.createHosted(body);
    const { promise: death, resolve: killed } = Promise.withResolvers<void>();
    next = { call, killed };
    const restarting = (async () => {
      await death;
      await endLeases(home);
      return openPayments(await start());
    })();
    const decide = (isApproved: boolean) => decideAtBank(books, id, isApproved);
    const end = await customer.pay(new URL(page ?? "").pathname, card, { plan, decide });
    payments = await restarting;
    const compare = async () => findDifferences((await payments.list({ limit: 100 })).data, books);
    await expect.poll(compare, { interval: 100 }).toEqual([]);
    expect({ call, end }).toEqual({ call, end: expected });
  }
});
