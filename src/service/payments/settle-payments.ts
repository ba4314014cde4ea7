import {
  failPayment,
  succeedPayment,
  type Payment,
  type PendingPayment,
} from "../domain/payment-state.ts";
import type { LookUpOutcome } from "../ports/card-network.ts";
import { toCharge, buildCharge } from "./ask-network.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import type { DuePayment } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";

const batchSize = 100;

/**
 * How long a payment is left to the process that took it. Where that has ended meanwhile, or its
 * network is slow or cannot be reached, somebody asks again then, which does no harm.
 */
const takenMs = 2_000;

/** Moves on the pending payments that are due, as was decided in this process; answers how many it asked about. */
export async function settleDuePayments(ports: Ports): Promise<number> {
  const nowMs = ports.clock();
  const untilMs = nowMs + takenMs;
  const due = await ports.store.leaseDuePayments({ nowMs, untilMs, limit: batchSize });
  listAll(await Promise.allSettled(due.map(async (payment) => settle(ports, payment))));
  return due.length;
}

/** What all of them gave; where one failed, its error. */
export function listAll<T>(parts: PromiseSettledResult<T>[]): T[] {
  return parts.map((part) => {
    if (part.status === "rejected") throw part.reason;
    return part.value;
  });
}

async function settle(ports: Ports, due: DuePayment): Promise<void> {
  const { scope, payment, reference } = due;
  const nowMs = ports.clock();
  const network = ports.networkOf(scope);
  // What was decided in this process is told here, whatever network there is by now.
  const local = network.isLocal ? network : ports.simulator;
  const charge = { ...buildCharge(local.name, nowMs), reference };
  const answer = await local.lookUp(toCharge({ scope, payment, charge }));
  if (answer.outcome === "processing") {
    await ports.store.postpone(scope, payment.id, nowMs + answer.retryAfterMs);
    return;
  }
  await ports.store.transition({
    scope,
    payment: settled(payment, answer, Math.floor(nowMs / 1000)),
    event: buildEvent(ports),
    from: "pending",
    idempotency: undefined,
  });
}

function settled(payment: PendingPayment, answer: LookUpOutcome, at: number): Payment {
  if (answer.outcome === "approved" && payment.card)
    return succeedPayment(payment, payment.card, at);
  return failPayment(payment, answer.outcome === "declined" ? answer.code : "processing_error", at);
}
