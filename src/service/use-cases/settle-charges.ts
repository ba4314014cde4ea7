import type { CardNetwork } from "./card-network.ts";
import { cancelCharge, chargeOf, refundCharge, takenUntil, writeCharge } from "./charges.ts";
import type { DueCharge } from "./payment-store.ts";
import type { Ports } from "./ports.ts";
import { allOf } from "./settle-payments.ts";

const batchSize = 32; // half of those that may ask at once, so that requests find a place

/**
 * Asks the network about the charges that are due: those whose outcome nobody knows, those that were given
 * up, and refunds. What another network was asked is left to a service that is attached to it. Answers how
 * many there were. As `settlePayments`, but it takes as long as the network.
 */
export async function settleCharges(ports: Ports): Promise<number> {
  const network = ports.networkOf({ livemode: true });
  if (network.isLocal) return 0;
  // What would not be asked stays due: to be put off again and again is work for the store alone.
  const limit = Math.min(batchSize, network.letsThrough());
  if (limit === 0) return 0;
  const nowMs = ports.clock();
  const untilMs = takenUntil(nowMs);
  const due = await ports.store.takeDueCharges({ nowMs, untilMs, limit, network: network.name });
  allOf(await Promise.allSettled(due.map(async (each) => settleCharge(ports, network, each))));
  return due.length;
}

async function settleCharge(ports: Ports, network: CardNetwork, due: DueCharge): Promise<void> {
  const { wanted } = due.charge;
  switch (wanted) {
    case "charge":
      await writeCharge(ports, due, await network.lookUp(chargeOf(due)));
      return;
    case "cancel":
      await cancelCharge(ports, network, due);
      return;
    case "refund":
      await refundCharge(ports, network, due);
      return;
    case "nothing":
      return;
    default:
      wanted satisfies never;
  }
}
