import type { Activity, ApiKey, Operator } from "../../../src/contract/administration.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import type { Delivery } from "../../../src/contract/delivery.ts";
import type { LoggedRequest } from "../../../src/contract/logged-request.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { WebhookTest } from "../../../src/contract/webhook-endpoint.ts";
import type { PaymentHistoryEntry } from "../../../src/service/web/dashboard/payment-history.ts";
import { deliveriesLimit } from "../../../src/service/web/dashboard/webhook-endpoint-page.ts";
import type { EndpointWithHealth } from "../../../src/service/webhooks/find-endpoints.ts";
import {
  accounts,
  activities,
  deliveries,
  emptyOverview,
  endpointsIn,
  endpointTest,
  keysIn,
  operators,
  overviewIn,
  paidByPage,
  paymentsIn,
  requestsIn,
  type ShownOverview,
} from "./example-shop.ts";
import { stretch } from "./longest-data.ts";

/** The data of the pages. A page of one thing shows the first of a list, and is left out if there is none. */
export type Shop = {
  accounts: typeof accounts;
  operators: readonly Operator[];
  overview: ShownOverview;
  payments: Payment[];
  paid: { payment: Payment; history: PaymentHistoryEntry[] } | undefined;
  requests: LoggedRequest[];
  keys: ApiKey[];
  endpoints: EndpointWithHealth[];
  deliveries: Delivery[];
  test: WebhookTest | undefined;
  activities: Activity[];
};

function usualShop(mode: Mode): Shop {
  return {
    accounts,
    operators,
    overview: overviewIn(mode),
    payments: paymentsIn(mode),
    paid: paidByPage(mode),
    requests: requestsIn(mode),
    keys: keysIn(mode),
    endpoints: endpointsIn(mode),
    deliveries,
    test: endpointTest,
    activities: activities(),
  };
}

/** An account on its first day. */
function emptyShop(): Shop {
  return {
    accounts,
    operators: operators.slice(0, 1),
    overview: emptyOverview(),
    payments: [],
    paid: undefined,
    requests: [],
    keys: [],
    endpoints: [],
    deliveries: [],
    test: undefined,
    activities: [],
  };
}

/** Items again and again, as often as fills the page of a list. */
function fill<T>(items: T[], length = 25): T[] {
  return Array.from({ length }, (_, index) => items[index % items.length]!);
}

/** The usual data, with full pages of lists. */
function fullShop(mode: Mode): Shop {
  const shop = usualShop(mode);
  return {
    ...shop,
    payments: fill(shop.payments),
    requests: fill(shop.requests),
    deliveries: fill(shop.deliveries, deliveriesLimit),
    activities: fill(shop.activities, 50),
  };
}

/** Payments without a customer, a description or both, and with the longest reasons of a decline. */
function unevenShop(mode: Mode): Shop {
  const shop = usualShop(mode);
  const nobody = { name: "", email: "" };
  const payments = shop.payments.map((payment, index): Payment => ({
    ...payment,
    amount: payment.amount * 100,
    customer: index % 3 === 0 ? nobody : payment.customer,
    description: index % 4 === 0 ? null : payment.description,
    decline_code: payment.decline_code && "test_mode_live_card",
  }));
  return { ...shop, payments };
}

/** The data of an account: as usual, none, full pages of lists, uneven, or texts as long as they can be. */
export const shops = {
  usual: usualShop,
  empty: emptyShop,
  full: fullShop,
  uneven: unevenShop,
  longest: (mode: Mode): Shop => stretch(usualShop(mode)),
} satisfies Record<string, (mode: Mode) => Shop>;
