import {
  exampleDelivery,
  exampleEndpoint,
  exampleEvent,
  exampleIds,
  exampleListener,
  triedDelivery,
} from "./example-objects.ts";
import { toList, type OperationExamples } from "./operation-example.ts";

const secret = "whsec_ZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25lISE=";

/** The examples of events, webhook endpoints and listeners. */
export const webhookExamples = {
  listEvents: {
    events: { summary: "The only page", response: toList("/v1/events", exampleEvent) },
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
  listEndpoints: {
    endpoints: {
      summary: "The only page",
      response: toList("/v1/webhook_endpoints", exampleEndpoint),
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
  listDeliveries: {
    deliveries: {
      summary: "The only page",
      response: toList(`/v1/webhook_endpoints/${exampleIds.endpoint}/deliveries`, exampleDelivery),
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
} satisfies Partial<OperationExamples>;
