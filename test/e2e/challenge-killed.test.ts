import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  createTemporaryFolder,
  startServingWith,
  type Serving,
} from "../testkit/command/installed-command.ts";
import { endLeases } from "../testkit/deployment/end-leases.ts";
import { createPageCustomer, type Plan } from "../testkit/deployment/page-customer.ts";
import {
  cardNumbers,
  decideAtBank,
  findDifferences,
  startFailingAdapter,
  type AdapterCall,
  type Book,
} from "../testkit/network/failing-adapter.ts";

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
  const ended = await Promise.all(deaths.map(async ([call, plan]) => dieAt(call, plan)));
  expect(ended).toEqual(deaths.map(([call, , end]) => ({ call, end, differences: [] })));
});

async function dieAt(call: AdapterCall, plan: Plan) {
  const books = new Map<string, Book>();
  let serving: Serving | undefined;
  const death = Promise.withResolvers<void>();
  let isKilled = false;
  const adapter = await startFailingAdapter(books, ({ name, isDone }) => {
    if (isKilled || name !== call.name || isDone !== call.isDone) return false;
    isKilled = true;
    void serving?.kill("SIGKILL").then(death.resolve);
    return true;
  });
  const home = createTemporaryFolder();
  const { key } = await createKey(home, "live");
  const start = async () =>
    (serving = await startServingWith(variables, home, "--network", adapter));
  const openClient = ({ url }: Serving) => {
    const client = new PaymentsClient({ baseUrl: url, apiKey: key });
    onTestFinished(() => client.close());
    return client;
  };
  const { payments } = openClient(await start());
  const { id, redirect_url: page } = await payments.createHosted({ amount: 4999, currency: "eur" });
  const restarting = (async () => {
    await death.promise;
    await endLeases(home);
    return openClient(await start());
  })();
  const customer = createPageCustomer(() => serving?.url ?? "");
  const decide = (isApproved: boolean) => decideAtBank(books, id, isApproved);
  const end = await customer.pay(new URL(page ?? "").pathname, card, { plan, decide });
  const later = await restarting;
  const compare = async () => findDifferences([await later.payments.retrieve(id)], books);
  for (let polls = 0; polls < 600 && (await compare()).length > 0; polls++) await delay(100);
  const differences = await compare();
  await serving?.kill("SIGKILL");
  return { call, end, differences };
}
