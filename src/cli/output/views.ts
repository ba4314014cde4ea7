import type { ChalkInstance } from "chalk";
import { accountFields, type Account } from "../../contract/account.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { Event } from "../../contract/event.ts";
import { issuedKeyFields, keyFields, type ApiKey, type IssuedKey } from "../../contract/key.ts";
import {
  invitedOperatorFields,
  operatorFields,
  type InvitedOperator,
  type Operator,
} from "../../contract/operator.ts";
import type { Payment } from "../../contract/payment.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import {
  deliveryKind,
  endpointKind,
  eventKind,
  issuedEndpointKind,
  paymentKind,
  type Kind,
} from "./kinds.ts";
import type { TableLayout } from "./field-text.ts";

// How what commands show is shown; what that takes is loaded only where words are asked for.

type Text<Item> = {
  text: (item: Item, style: ChalkInstance, fields?: readonly string[]) => string;
};
type Table<Item> = { table: (items: Item[], layout: TableLayout) => string };
type View<Words> = { kind: Pick<Kind, "fields">; load: () => Promise<Words> };

export type OneView<Item> = View<Text<Item>>;
export type ManyView<Item> = View<Table<Item>>;
/** Of what is listed page by page. */
export type PagedView<Item> = ManyView<Item> & { kind: Kind };

// The API's objects

export const paymentView: OneView<Payment> & PagedView<Payment> = {
  kind: paymentKind,
  load: async () => {
    const { formatPayment, formatPayments } = await import("./payment-text.ts");
    return { text: formatPayment, table: formatPayments };
  },
};

export const eventView: OneView<Event> & PagedView<Event> = {
  kind: eventKind,
  load: async () => {
    const { formatEvent, formatEvents } = await import("./event-text.ts");
    return { text: formatEvent, table: formatEvents };
  },
};

export const endpointView: OneView<WebhookEndpoint> & ManyView<WebhookEndpoint> = {
  kind: endpointKind,
  load: async () => {
    const { formatEndpoint, formatEndpoints } = await import("./endpoint-text.ts");
    return { text: formatEndpoint, table: formatEndpoints };
  },
};

export const issuedEndpointView: OneView<WebhookEndpoint> = {
  ...endpointView,
  kind: issuedEndpointKind,
};

export const deliveryView: PagedView<Delivery> = {
  kind: deliveryKind,
  load: async () => ({ table: (await import("./delivery-text.ts")).formatDeliveries }),
};

// The service's own records, which are shown whole

export const accountView: OneView<Account> & ManyView<Account> = {
  kind: { fields: accountFields },
  load: async () => {
    const { formatAccount, formatAccounts } = await import("./account-text.ts");
    return { text: formatAccount, table: formatAccounts };
  },
};

export const keyView: OneView<ApiKey> & ManyView<ApiKey> = {
  kind: { fields: keyFields },
  load: async () => {
    const { formatKey, formatKeys } = await import("./key-text.ts");
    return { text: formatKey, table: formatKeys };
  },
};

export const issuedKeyView: OneView<IssuedKey> = { ...keyView, kind: { fields: issuedKeyFields } };

export const operatorView: OneView<Operator> & ManyView<Operator> = {
  kind: { fields: operatorFields },
  load: async () => {
    const { formatOperator, formatOperators } = await import("./operator-text.ts");
    return { text: formatOperator, table: formatOperators };
  },
};

export const invitedOperatorView: OneView<InvitedOperator> = {
  ...operatorView,
  kind: { fields: invitedOperatorFields },
};
