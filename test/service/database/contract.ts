import { describe } from "vitest";
import { accountsContract } from "./contract/accounts.ts";
import { activityContract } from "./contract/activity.ts";
import { answersContract } from "./contract/answers.ts";
import { registerTests } from "./contract/contended.ts";
import { chargesContract } from "./contract/charges.ts";
import { deliveriesContract } from "./contract/deliveries.ts";
import { eventsContract } from "./contract/events.ts";
import { groupsContract } from "./contract/groups.ts";
import { hostedPagesContract } from "./contract/hosted-pages.ts";
import { keysContract } from "./contract/keys.ts";
import type { OpenStores } from "../../testkit/database/open-database.ts";
import { operatorsContract } from "./contract/operators.ts";
import { pagesContract } from "./contract/pages.ts";
import { paymentsContract } from "./contract/payments.ts";
import { refundsContract } from "./contract/refunds.ts";
import { requestsContract } from "./contract/requests.ts";
import { searchContract } from "./contract/search.ts";
import { totalsContract } from "./contract/totals.ts";
import { transitionsContract } from "./contract/transitions.ts";
import { webhookEndpointsContract } from "./contract/webhook-endpoints.ts";

const contracts = [
  accountsContract,
  activityContract,
  answersContract,
  chargesContract,
  deliveriesContract,
  eventsContract,
  groupsContract,
  hostedPagesContract,
  keysContract,
  operatorsContract,
  pagesContract,
  paymentsContract,
  refundsContract,
  requestsContract,
  searchContract,
  totalsContract,
  transitionsContract,
  webhookEndpointsContract,
];

/**
 * The suite of every driver's store. `stores` opens an empty database and gives it back (`onTestFinished`). With
 * `isContendedOnly` it has the tests of what several requests or processes do at once, which an isolation level could
 * change.
 */
export function storeContract(
  name: string,
  stores: OpenStores,
  { isContendedOnly = false } = {},
): void {
  describe(`the store on ${name}`, () => {
    registerTests(stores, { isContendedOnly }, () => {
      for (const contract of contracts) contract(stores);
    });
  });
}
