import { eventFields } from "../../contract/responses.ts";
import { eventIdPattern, formatMoney } from "../../contract/field-values.ts";
import type { Event } from "../../contract/event.ts";
import { colorEventType, formatLocalTime } from "./style.ts";
import { listPaymentDetails } from "./payment-resource.ts";
import type { Resource } from "./resource.ts";

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
