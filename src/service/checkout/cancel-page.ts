import { cancelPayment } from "../domain/payment-state.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import { lookUpPage, getStateOfPage } from "./find-page.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * Cancels a payment for its customer. A payment in progress comes first, and the page shows its outcome. If the
 * network has not answered for too long, it must refund what it may have charged.
 */
export async function cancelPage(ports: Ports, token: string): Promise<"closed" | "gone"> {
  const found = await lookUpPage(ports, token);
  const nowMs = ports.clock();
  const state = getStateOfPage(found, nowMs);
  if (!found || state === "gone" || state === "expired") return "gone";
  if (state !== "open" && state !== "at_bank" && state !== "overdue") return "closed";
  const payment = cancelPayment(found.payment, Math.floor(nowMs / 1000));
  if (typeof payment === "string") return "closed";
  const { scope } = found;
  const event = buildEvent(ports);
  const closing = { scope, payment, event, claimableAtMs: nowMs };
  const written = await ports.store.closePage(closing);
  if (written === "written" && found.page.challengedAtMs !== null) {
    ports.observeChallenge?.("canceled");
  }
  return "closed";
}
