import type { Delivery } from "../../../contract/delivery.ts";
import type { Html } from "../html.ts";
import { badge } from "./elements.ts";

const deliveryTones = { pending: "waiting", delivered: "good", failed: "wrong" } as const;

export function deliveryBadge({ status }: Delivery): Html {
  return badge(status, deliveryTones[status]);
}

/** What an endpoint answered last. An error says in words which status that was. */
export function answerOf({ last_status: status, last_error: error, attempts }: Delivery): string {
  if (attempts === 0) return "not asked yet";
  return error ?? String(status ?? "");
}
