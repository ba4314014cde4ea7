import type { Event } from "../../src/contract/event.ts";
import { paymentWith } from "./client/scripted-server.ts";

/** An Event as a service would send it. */
export function eventWith(fields: Partial<Event> = {}): Event {
  return {
    id: "evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "event",
    type: "payment.succeeded",
    created: 1_794_744_000,
    livemode: false,
    sequence: 1,
    data: { object: paymentWith() },
    ...fields,
  };
}
