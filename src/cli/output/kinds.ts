import {
  deliveryFields,
  endpointFields,
  eventFields,
  issuedEndpointFields,
  paymentFields,
} from "../../contract/fast-checks.ts";
import {
  deliveryIdPattern,
  endpointIdPattern,
  eventIdPattern,
} from "../../contract/event-values.ts";
import { paymentIdPattern } from "../../contract/payment-values.ts";

/** A kind of the API's objects: what people call it, what its ids look like, and which fields it has. */
export type Kind = {
  name: string;
  /** The name with its article. */
  one: string;
  many: string;
  idPattern: RegExp;
  idForm: string;
  /** The command that shows ids. */
  shownBy: string;
  fields: readonly string[];
  /** Which of its fields holds names that are not the API's own. */
  metadata?: string;
  /** What `--fields` may ask for, as an example. */
  someFields: string;
};

export const paymentKind: Kind = {
  name: "payment",
  one: "a payment",
  many: "payments",
  idPattern: paymentIdPattern,
  idForm: "pay_0199…",
  shownBy: "payments list",
  fields: paymentFields,
  metadata: "metadata",
  someFields: "id,amount,card.last4",
};

export const eventKind: Kind = {
  name: "event",
  one: "an event",
  many: "events",
  idPattern: eventIdPattern,
  idForm: "evt_0199…",
  shownBy: "payments events list",
  fields: eventFields,
  metadata: "data.object.metadata",
  someFields: "id,type,data.object.id",
};

export const endpointKind: Kind = {
  name: "endpoint",
  one: "a webhook endpoint",
  many: "webhook endpoints",
  idPattern: endpointIdPattern,
  idForm: "we_0199…",
  shownBy: "payments webhooks list",
  fields: endpointFields,
  someFields: "id,url,status",
};

/** An endpoint whose secret has just been made, and is shown this once. */
export const issuedEndpointKind: Kind = {
  ...endpointKind,
  fields: issuedEndpointFields,
  someFields: "id,secret",
};

export const deliveryKind: Kind = {
  name: "delivery",
  one: "a delivery",
  many: "deliveries",
  idPattern: deliveryIdPattern,
  idForm: "del_0199…",
  shownBy: "payments webhooks deliveries",
  fields: deliveryFields,
  someFields: "event,status,last_status",
};
