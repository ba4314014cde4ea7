import type { Activity, ApiKey, Operator } from "../../../src/contract/administration.ts";
import type { Delivery, WebhookTest } from "../../../src/contract/delivery.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import type { LoggedRequest } from "../../../src/contract/logged-request.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { History } from "../../../src/contract/history.ts";
import { deliveriesLimit } from "../../../src/service/web/dashboard/webhook-endpoint-page.ts";
import type { EndpointWithHealth } from "../../../src/service/webhooks/find-endpoints.ts";
import {
  type ShownOverview,
  accounts,
  activities,
  deliveries,
  emptyOverview,
  endpointTest,
  endpointsIn,
  keysIn,
  operators,
  overviewIn,
  paidByPage,
  paymentsIn,
  requestsIn,
} from "./example-shop.ts";

/** The data of the pages. A page of one thing shows the first of a list, and is left out if there is none. */
export type Shop = {
  accounts: typeof accounts;
  operators: readonly Operator[];
  overview: ShownOverview;
  payments: Payment[];
  paid: { payment: Payment; history: History } | undefined;
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

/** Names of 200 characters: in one word, in many, from right to left, in wide characters, and of pictures. */
const names = [
  "w".repeat(200),
  "Wolfeschlegelsteinhausenbergerdorff & Partners, Haulage ".repeat(4).slice(0, 200),
  "شركة النقل والتجارة الدولية ".repeat(8).slice(0, 200),
  "東京国際貿易株式会社".repeat(20),
  "חברת הובלות בינלאומית ".repeat(10).slice(0, 200),
  "👩‍🚀".repeat(40),
];

const long = "long-".repeat(40);
const textsByField: Record<string, string> = {
  email: `${"c".repeat(64)}@${"shop-".repeat(30)}.example`,
  url: `https://shop.example/${"path".repeat(60)}?query=${"q".repeat(200)}`,
  last_error: `the endpoint answered 503: ${long}`,
  error: `the endpoint answered 503: ${long}`,
  answer: `{"message":"${long}"}\n`.repeat(5),
  text: `payment.succeeded was not delivered to https://shop.example/${"path".repeat(60)}?…: ${long}.`,
  idempotency_key: long,
  decline_message: `The bank refused, ${long}`,
};
const namedFields = new Set(["name", "description"]);

/** Data of the same shape, in which every text that others write is as long as it can be, and amounts are large. */
function stretch<T>(data: T): T {
  let next = 0;
  const stretchField = (field: string, value: unknown): unknown => {
    if (field === "metadata") return { ["k".repeat(40)]: "v".repeat(500), note: names[2] };
    if (field === "amount" || field === "volume") return 123_456_789 + Number(value);
    if (typeof value === "string" && namedFields.has(field)) return names[next++ % names.length];
    if (typeof value === "string" && field in textsByField) return textsByField[field];
    return stretchValue(value);
  };
  const stretchValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => stretchValue(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => [field, stretchField(field, each)]),
    );
  };
  return stretchValue(data) as T;
}
