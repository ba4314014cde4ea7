import type { EventType } from "../../contract/event-values.ts";
import { parseCreated } from "./object-id.ts";

/** What an event is made of; `payment` is the payment in JSON, as it was then. */
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

/** An event as the API answers it, and as its deliveries carry it, byte for byte. */
export function toEventJson({ id, type, livemode, sequence, payment }: EventParts): string {
  return `{"id":"${id}","object":"event","type":"${type}","created":${parseCreated(id)},"livemode":${livemode},"sequence":${sequence},"data":{"object":${payment}}}`;
}
