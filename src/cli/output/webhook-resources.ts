import type { Delivery, DeliveryDetails, Recovery, WebhookTest } from "../../contract/delivery.ts";
import type { Event } from "../../contract/event.ts";
import {
  allEventTypes,
  deliveryIdPattern,
  endpointIdPattern,
  eventIdPattern,
} from "../../contract/field-values.ts";
import { formatMoney } from "../../contract/money.ts";
import {
  deliveryDetailsFields,
  deliveryFields,
  endpointFields,
  eventFields,
  issuedEndpointFields,
} from "../../contract/responses.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { escapeControls } from "../../runtime/text.ts";
import { formatOptionalTime, listPaymentDetails } from "./payment-resource.ts";
import type { Resource } from "./resource.ts";
import {
  type CellTimes,
  bold,
  colorEventType,
  colorMode,
  colorStatus,
  formatLocalTime,
} from "./style.ts";

export const endpointResource: Resource<WebhookEndpoint> = {
  name: "endpoint",
  one: "a webhook endpoint",
  many: "webhook endpoints",
  idPattern: endpointIdPattern,
  idForm: "we_0199…",
  shownBy: "payments webhooks list",
  fields: endpointFields,
  someFields: "id,url,status",
  details: (endpoint) => [
    ["Endpoint", endpoint.id],
    ["URL", formatUrl(endpoint)],
    ["Events", formatEvents(endpoint)],
    ["Description", endpoint.description],
    ["Secret", endpoint.secret, bold],
    ["Status", formatStatus(endpoint), colorStatus],
    ["Last success", formatOptionalTime(endpoint.last_success_at)],
    ["Failing since", formatOptionalTime(endpoint.failing_since)],
    ["Mode", endpoint.livemode ? "live" : "test", colorMode],
    ["Created", formatLocalTime(endpoint.created)],
  ],
  overflow: "cut",
  columns: [
    { title: "ID", text: ({ id }) => id },
    { title: "URL", text: formatUrl, minWidth: 24 },
    {
      title: "STATUS",
      text: formatStatus,
      minWidth: "disabled (…".length,
      paint: colorStatus,
    },
    { title: "HEALTH", text: formatHealth, minWidth: "failing for 59m".length },
    { title: "EVENTS", text: formatEvents, minWidth: 17 },
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    { title: "DESCRIPTION", text: ({ description }) => description ?? "", minWidth: 11 },
  ],
};

/** An endpoint with a new secret, which is never shown again. */
export const issuedEndpointResource: Resource<WebhookEndpoint> = {
  ...endpointResource,
  fields: issuedEndpointFields,
  someFields: "id,secret",
};

export const deliveryResource: Resource<Delivery> = {
  name: "delivery",
  one: "a delivery",
  many: "deliveries",
  idPattern: deliveryIdPattern,
  idForm: "del_0199…",
  shownBy: "payments webhooks deliveries",
  fields: deliveryFields,
  someFields: "event,status,last_status",
  overflow: "cut",
  columns: [
    { title: "EVENT", text: ({ event }) => event }, // first, since other commands take this id
    { title: "STATUS", text: ({ status }) => status, paint: colorStatus },
    { title: "ATTEMPTS", text: ({ attempts }) => String(attempts), isRight: true },
    {
      title: "LAST",
      text: ({ last_status, last_error }, { isBrief }) =>
        // The text of an error contains the status.
        String((isBrief ? (last_status ?? last_error) : (last_error ?? last_status)) ?? ""),
      minWidth: "the conn…".length,
    },
    {
      title: "NEXT",
      text: ({ next_attempt_at }, { coming }) =>
        next_attempt_at === null ? "" : coming(next_attempt_at),
    },
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    { title: "TYPE", text: ({ type }) => type, minWidth: "payment.succee…".length },
    { title: "ID", text: ({ id }) => id },
  ],
};

/** Deliveries to several endpoints, of which the time of creation is enough to tell them apart in a narrow terminal. */
export const deliveriesToAllResource: Resource<Delivery> = {
  ...deliveryResource,
  columns: [
    ...deliveryResource.columns.slice(0, 1),
    { title: "ENDPOINT", text: ({ endpoint }) => endpoint, minWidth: "we_0199c5a8-7f3e…".length },
    ...deliveryResource.columns.slice(1),
  ],
};

/** One delivery, with its tries. */
export const deliveryDetailsResource: Resource<DeliveryDetails> = {
  ...deliveryResource,
  fields: deliveryDetailsFields,
};

/** Only the endpoint of `payments listen` has no address. */
function formatUrl({ url }: WebhookEndpoint): string {
  return url ?? "listen";
}

function formatEvents({ events }: WebhookEndpoint): string {
  return events.includes(allEventTypes) ? "all" : events.join(", ");
}

/** Whether an enabled endpoint accepts what it is sent, and when it last did; a service of 1.0 does not say. */
function formatHealth(
  { status, last_success_at: last, failing_since: failing }: WebhookEndpoint,
  { past }: CellTimes,
): string {
  if (status === "disabled") return "";
  if (failing) return `failing since ${past(failing)}`;
  return last ? `ok ${past(last)}` : "";
}

function formatStatus({ status, disabled_reason }: WebhookEndpoint): string {
  return disabled_reason === null ? status : `${status} (${disabled_reason})`;
}

// The results of tests and recoveries of webhook endpoints: they have no id of their own, and no list.

const unlisted = { many: "", idPattern: eventIdPattern, idForm: "", shownBy: "", columns: [] };

export const testResource: Resource<WebhookTest> = {
  ...unlisted,
  name: "test",
  one: "a test",
  fields: [
    "object",
    "event",
    "status",
    "duration_ms",
    "error",
    "answer",
  ] satisfies (keyof WebhookTest)[],
  someFields: "status,duration_ms",
};

export const recoveryResource: Resource<Recovery> = {
  ...unlisted,
  name: "recovery",
  one: "a recovery",
  fields: ["object", "queued", "has_more"] satisfies (keyof Recovery)[],
  someFields: "queued",
};

/** The reason why a test was no success, in a sentence; undefined where it was one. */
export function describeTestFailure({ status, error }: WebhookTest): string | undefined {
  if (status !== null && status >= 200 && status < 300) return undefined;
  return `The test was not accepted: ${escapeControls(error ?? `the endpoint answered ${status}`)}.`;
}

export const eventResource: Resource<Event> = {
  name: "event",
  one: "an event",
  many: "events",
  idPattern: eventIdPattern,
  idForm: "evt_0199…",
  shownBy: "payments events list",
  fields: eventFields,
  metadata: "data.object.metadata",
  someFields: "id,type,data.object.id",
  details: (event) => [
    ["Event", event.id],
    ["Type", event.type, colorEventType],
    ["Sequence", String(event.sequence)],
    ["Happened", formatLocalTime(event.created)],
    ...listPaymentDetails(event.data.object),
  ],
  overflow: "cut",
  columns: [
    { title: "ID", text: ({ id }) => id },
    {
      title: "TYPE",
      text: ({ type }) => type,
      minWidth: "payment.succee…".length,
      paint: colorEventType,
    },
    {
      title: "AMOUNT",
      text: ({ data }) => formatMoney(data.object.amount, data.object.currency),
      isRight: true,
    },
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    {
      title: "PAYMENT",
      text: ({ data }) => data.object.id,
      minWidth: "pay_0199c5a8-7f3e-7abc-9def…".length,
    },
  ],
};
