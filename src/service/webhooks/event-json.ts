import type { EventType } from "../../contract/field-values.ts";
import { parseCreated } from "../database/object-id.ts";

/** `payment` is the payment in JSON, as it was at the time of the event. */
export type EventParts = {
  id: string;
  type: EventType;
  livemode: boolean;
  sequence: number;
  payment: string;
};

/** A payment's first event has its UUID. */
export function toCreatedEventId(paymentId: string): string {
  return paymentId.replace(/^pay_/, "evt_");
}

/** An event as the API returns it and as webhooks carry it, byte for byte. */
export function toEventJson({ id, type, livemode, sequence, payment }: EventParts): string {
  return `{"id":"${id}","object":"event","type":"${type}","created":${parseCreated(id)},"livemode":${livemode},"sequence":${sequence},"data":{"object":${payment}}}`;
}
