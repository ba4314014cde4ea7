import type * as z from "zod";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { findKind } from "./describe-parameters.ts";
import {
  canceledPayment,
  exampleDelivery,
  exampleEndpoint,
  exampleEvent,
  exampleIds,
  exampleListener,
  exampleOrder,
  examplePayment,
  exampleRequest,
  hostedPayment,
  pendingPayment,
  refundedPayment,
  triedDelivery,
} from "./example-objects.ts";

/** A request, and the response to it. One without a body has no `request`. */
export type OperationExample = { summary: string; request?: object; response: object };

type RouteName = keyof typeof routes;
type ExampleOf<Name extends RouteName> = {
  summary: string;
  response: z.infer<(typeof routes)[Name]["response"]>;
} & ((typeof routes)[Name] extends { body: infer Body extends z.ZodType }
  ? { request?: z.input<Body> }
  : object);

/** The examples of an operation, by name: each request and response as the contract has it. */
type Examples<Names extends RouteName> = { [Name in Names]: Record<string, ExampleOf<Name>> };

/** The only page of a list. */
function toList<Item>(url: string, ...data: Item[]) {
  return { object: "list" as const, url, data, has_more: false };
}

const secret = "whsec_ZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25lISE=";
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" };

const exampleMoment = {
  at: examplePayment.created,
  request: null,
  event: null,
  delivery: null,
  endpoint: null,
};

const written: Examples<Exclude<RouteName, `list${string}`>> = {
  createPayment: {
    succeeded: {
      summary: "A card that is accepted",
      request: { ...exampleOrder, card },
      response: examplePayment,
    },
    pending: {
      summary: "A card that will be declined: retrieve the payment later, or wait for its event",
      request: { ...exampleOrder, card: { ...card, number: "4000000000009995" } },
      response: pendingPayment,
    },
  },
  createHosted: {
    page: {
      summary: "A page that is open for two hours",
      request: {
        ...exampleOrder,
        return_url: "https://shop.example.com/thanks",
        expires_in: 7_200,
      },
      response: hostedPayment,
    },
  },
  getPayment: { payment: { summary: "A payment that has succeeded", response: examplePayment } },
  getHistory: {
    history: {
      summary: "A payment that succeeded, of which no webhook was sent",
      response: {
        object: "history",
        payment: exampleIds.payment,
        data: [
          {
            ...exampleMoment,
            kind: "created",
            text: "The payment of 49.99 EUR was created for the visa card ending in 4242.",
            by: { type: "key", ...exampleRequest.key },
            request: exampleIds.request,
          },
          {
            ...exampleMoment,
            kind: "succeeded",
            text: "The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242. No webhook was sent: no endpoint was subscribed.",
            by: { type: "service", id: null, name: null },
            event: exampleIds.event,
          },
        ],
        due: [],
        has_more: false,
      },
    },
  },
  refundPayment: {
    refunded: { summary: "The refunded payment", request: {}, response: refundedPayment },
  },
  cancelPayment: {
    canceled: { summary: "The canceled payment", request: {}, response: canceledPayment },
  },
  getAccount: {
    account: {
      summary: "The account of a test key",
      response: {
        id: exampleIds.account,
        object: "account",
        name: "Books & Co",
        default_version: "2026-11-01",
        livemode: false,
        permissions: ["create", "read", "refund", "webhooks"],
        max_refund: null,
      },
    },
    restricted: {
      summary: "The account of a test key that may read, and refund at most 50.00",
      response: {
        id: exampleIds.account,
        object: "account",
        name: "Books & Co",
        default_version: "2026-11-01",
        livemode: false,
        permissions: ["read", "refund"],
        max_refund: 5000,
      },
    },
  },
  reportPayments: {
    report: {
      summary: "A month with one payment, which was refunded",
      response: {
        object: "report",
        from: "2026-11-01",
        to: "2026-12-01",
        by: "month",
        livemode: false,
        data: [
          {
            period: "2026-11",
            currency: "eur",
            payments: 1,
            succeeded: 1,
            failed: 0,
            refunded: 1,
            gross: 4999,
            refunds: 4999,
            net: 0,
            success_rate: 1,
            decline_codes: {},
          },
        ],
      },
    },
  },
  getEvent: { event: { summary: "A payment's first event", response: exampleEvent } },
  resendEvent: {
    to_all: {
      summary: "To all endpoints that are enabled",
      request: {},
      response: toList(`/v1/events/${exampleIds.event}/resend`, exampleDelivery),
    },
    to_one: {
      summary: "To one endpoint",
      request: { endpoint: exampleIds.endpoint },
      response: toList(`/v1/events/${exampleIds.event}/resend`, exampleDelivery),
    },
  },
  createEndpoint: {
    endpoint: {
      summary: "An address for all events",
      request: { url: "https://shop.example.com/hooks", events: ["*"], description: "The shop" },
      response: { ...exampleEndpoint, secret },
    },
    listener: {
      summary: "A listener, which fetches its deliveries",
      request: { url: null, description: "A laptop" },
      response: { ...exampleListener, secret },
    },
  },
  getEndpoint: { endpoint: { summary: "An enabled endpoint", response: exampleEndpoint } },
  updateEndpoint: {
    disabled: {
      summary: "Disable the endpoint",
      request: { status: "disabled" },
      response: { ...exampleEndpoint, status: "disabled" },
    },
    changed: {
      summary: "Change its address and its events",
      request: {
        url: "https://shop.example.com/payments",
        events: ["payment.failed", "payment.refunded"],
      },
      response: {
        ...exampleEndpoint,
        url: "https://shop.example.com/payments",
        events: ["payment.failed", "payment.refunded"],
      },
    },
  },
  rollEndpoint: {
    rolled: {
      summary: "For a day both secrets sign",
      request: { overlap_hours: 24 },
      response: { ...exampleEndpoint, secret },
    },
  },
  deleteEndpoint: {
    deleted: {
      summary: "The endpoint is deleted",
      response: { id: exampleIds.endpoint, object: "webhook_endpoint", deleted: true },
    },
  },
  getDelivery: {
    delivery: {
      summary: "A delivery that failed once",
      response: {
        ...triedDelivery,
        tries: [
          {
            created: triedDelivery.created,
            status: 500,
            duration_ms: 31,
            error: triedDelivery.last_error,
            answer: "Internal Server Error",
          },
        ],
      },
    },
  },
  recoverEndpoint: {
    recovered: {
      summary: "One event was queued again",
      request: { since: 1_767_225_600 },
      response: { object: "recovery", queued: 1, has_more: false },
    },
  },
  testEndpoint: {
    accepted: {
      summary: "The endpoint answered with 200",
      request: {},
      response: {
        object: "webhook_test",
        event: exampleIds.event,
        status: 200,
        duration_ms: 48,
        error: null,
        answer: "ok",
      },
    },
  },
  startListener: {
    continue: {
      summary: "Continue with what is pending",
      request: {},
      response: exampleListener,
    },
    new: { summary: "Only new events", request: { only_new: true }, response: exampleListener },
    since: {
      summary: "All events since a time",
      request: { since: 1_767_225_600 },
      response: exampleListener,
    },
  },
  takeDeliveries: {
    taken: {
      summary: "Wait up to 25 seconds for the first of at most 16",
      request: { limit: 16, wait_seconds: 25, lease_seconds: 60 },
      response: toList(`/v1/webhook_endpoints/${exampleIds.endpoint}/take`, {
        ...exampleDelivery,
        event: exampleEvent,
      }),
    },
  },
  reportDelivery: {
    delivered: {
      summary: "It was delivered",
      request: {
        delivery: exampleIds.delivery,
        attempts: 0,
        delivered: true,
        last_status: 200,
        duration_ms: 12,
        answer: "ok",
      },
      response: {
        ...exampleDelivery,
        status: "delivered",
        attempts: 1,
        next_attempt_at: null,
        last_status: 200,
      },
    },
    failed: {
      summary: "It failed, and is due again",
      request: {
        delivery: exampleIds.delivery,
        attempts: 0,
        delivered: false,
        last_status: 500,
        last_error: "the endpoint answered 500",
        duration_ms: 31,
        answer: "Internal Server Error",
      },
      response: triedDelivery,
    },
  },
  getRequest: { request: { summary: "A request that was refused", response: exampleRequest } },
};

const listed = [examplePayment, exampleEvent, exampleEndpoint, exampleDelivery, exampleRequest];

/** A list has one example, which follows from what it lists: `events` of `listEvents`. */
function exampleOfList(name: string, { path, response }: Route): Record<string, OperationExample> {
  const url = path.replace(":id", () => findKind(path)[1]);
  const isPage = (item: object) => response.safeParse(toList(url, item)).success;
  const page = toList(url, ...listed.filter(isPage));
  return {
    [name.slice("list".length).toLowerCase()]: { summary: "The only page", response: page },
  };
}

/** The examples of each operation. The tests send each request, and compare the response. */
export const operationExamples = Object.fromEntries(
  Object.entries(routes).map(([name, route]) => [
    name,
    (written as Partial<Record<string, object>>)[name] ?? exampleOfList(name, route),
  ]),
) as Examples<RouteName>;
