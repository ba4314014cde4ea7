import type { ChalkInstance } from "chalk";
import type { Delivery } from "../contract/delivery.ts";
import type { Event } from "../contract/event.ts";
import type { Payment } from "../contract/payment.ts";
import type { WebhookEndpoint } from "../contract/webhook-endpoint.ts";
import {
  deliveryKind,
  endpointKind,
  eventKind,
  issuedEndpointKind,
  paymentKind,
  type Kind,
} from "./input/kinds.ts";
import type { TableLayout } from "./output/field-text.ts";

// How each kind of the API's objects is shown; what that takes is loaded only where words are asked for.

type Text<Item> = {
  text: (item: Item, style: ChalkInstance, fields?: readonly string[]) => string;
};
type Table<Item> = { table: (items: Item[], layout: TableLayout) => string };
type View<Words> = { kind: Kind; load: () => Promise<Words> };

export type OneView<Item> = View<Text<Item>>;
export type ManyView<Item> = View<Table<Item>>;

export const paymentView: View<Text<Payment> & Table<Payment>> = {
  kind: paymentKind,
  load: async () => {
    const { paymentText, paymentsTable } = await import("./output/payment-text.ts");
    return { text: paymentText, table: paymentsTable };
  },
};

export const eventView: View<Text<Event> & Table<Event>> = {
  kind: eventKind,
  load: async () => {
    const { eventText, eventsTable } = await import("./output/event-text.ts");
    return { text: eventText, table: eventsTable };
  },
};

export const endpointView: View<Text<WebhookEndpoint> & Table<WebhookEndpoint>> = {
  kind: endpointKind,
  load: async () => {
    const { endpointText, endpointsTable } = await import("./output/endpoint-text.ts");
    return { text: endpointText, table: endpointsTable };
  },
};

export const issuedEndpointView: OneView<WebhookEndpoint> = {
  ...endpointView,
  kind: issuedEndpointKind,
};

export const deliveryView: ManyView<Delivery> = {
  kind: deliveryKind,
  load: async () => ({ table: (await import("./output/delivery-text.ts")).deliveriesTable }),
};
