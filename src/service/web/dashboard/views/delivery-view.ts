import type { Delivery } from "../../../../contract/delivery.ts";
import type { Html } from "../html.ts";
import { badge } from "./elements.ts";

const deliveryTones = { pending: "waiting", delivered: "good", failed: "wrong" } as const;

export function deliveryBadge({ status }: Delivery): Html {
  return badge(status, deliveryTones[status]);
}

/**
 * What an endpoint answered last. An error says in words which status that was; of a delivery that was given up
 * before any try it says why.
 */
export function answerOf(delivery: Delivery): string {
  const { status, attempts, last_status: lastStatus, last_error: error } = delivery;
  if (status === "pending" && attempts === 0) return "not asked yet";
  return error ?? String(lastStatus ?? "");
}
