import type { ChargeOutcome, LookUpOutcome } from "../../../src/service/networks/card-network.ts";
import { fakeNetwork } from "../network/fake-network.ts";
import { openAppWithCustomer, visa } from "./customer.ts";
import type { Around } from "./open-app.ts";

export const bankUrl = "https://bank.test/confirm?token=bank-secret";
/** The network says that the bank asks the customer. */
export const action = {
  outcome: "action",
  reference: "ch_at_bank",
  url: bankUrl,
  retryAfterMs: 60_000,
} as const satisfies ChargeOutcome;

/** The service attached to a network, whose customers a bank asks for a confirmation. */
export async function openAppWithBank(around: Around = {}) {
  const fake = fakeNetwork();
  const opened = await openAppWithCustomer({ ...around, network: fake.networkOf });
  const { create, submit, visit, service } = opened;
  return {
    ...opened,
    fake,
    /** A payment whose customer has paid on its page, and is at the bank. */
    sendToBank: async () => {
      const page = await create();
      fake.steps.charge.push((decide) => decide(action));
      await submit(page.path, visa);
      return page;
    },
    /** The customer comes back to a page, while the network says this. */
    comeBack: async (path: string, answer: Exclude<LookUpOutcome, { outcome: "unknown" }>) => {
      fake.steps.lookUp.push(() => answer);
      await visit(`${path}/return`);
    },
    /** Settles the charges that are due. */
    settleCharges: async () => {
      const settler = service.createChargeSettler({
        wake: () => {},
        broken: (error) => {
          throw error;
        },
      });
      await settler.settle();
      await settler.idle();
    },
  };
}
