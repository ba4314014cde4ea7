import type { Delivery } from "../../../../contract/delivery.ts";
import type { Html } from "../html.ts";
import { renderBadge } from "./elements.ts";

const deliveryTones = { pending: "waiting", delivered: "good", failed: "wrong" } as const;

export function renderDeliveryBadge({ status }: Delivery): Html {
  return renderBadge(status, deliveryTones[status]);
}

/**
 * What an endpoint answered last. An error says in words which status that was; of a delivery that was given up
 * before any try it says why.
 */
export function describeResponse(delivery: Delivery): string {
  const { status, attempts, last_status: lastStatus, last_error: error } = delivery;
  if (status === "pending" && attempts === 0) return "not asked yet";
  return error ?? String(lastStatus ?? "");
}
