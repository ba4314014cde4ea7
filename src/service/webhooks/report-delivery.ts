import type { Delivery } from "../../contract/delivery.ts";
import type { ReportDeliveryBody } from "../../contract/listener.ts";
import { mask } from "../../contract/mask.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Scope } from "../database/scope.ts";
import { toAnswerText } from "./record-attempt.ts";
import type { StoredDelivery } from "./deliveries-sql.ts";
import { toDelivery } from "./deliveries.ts";
import { appendTry, computeNextAttempt, listenerSchedule } from "./delivery-state.ts";
import { getListener } from "./listen.ts";
import type { WebhooksService } from "./webhooks-service.ts";

/**
 * Records the outcome of a listener's delivery; a failed one is retried after 1 s, 5 s, 30 s and 2 min. An attempt
 * counts once, even if it is reported twice. Answers with the current delivery. Errors: resource_missing;
 * parameter_invalid if the endpoint has an address, or the listener is disabled.
 */
export async function reportDelivery(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: ReportDeliveryBody },
): Promise<Delivery> {
  await getListener(service, scope, id);
  const find = async () => {
    const found = await service.store.findDelivery(scope, body.delivery);
    if (found?.endpointId === id) return found;
    throw new ServiceError(
      "resource_missing",
      "This listener has no delivery with this id.",
      "delivery",
    );
  };
  const delivery = await find();
  const attempts = body.attempts ?? delivery.attempts;
  if (delivery.status === "pending" && attempts === delivery.attempts) {
    const { last_status: status = null } = body;
    const error = body.last_error == null ? null : mask(body.last_error);
    const nowMs = service.clock();
    const answer = typeof body.answer === "string" ? toAnswerText(Buffer.from(body.answer)) : null;
    const durationMs = body.duration_ms ?? null;
    const created = Math.floor((nowMs - (durationMs ?? 0)) / 1000);
    const made = { created, status, duration_ms: durationMs, error, answer };
    const result = {
      delivery,
      ...computeNextState(service, delivery, body.delivered),
      lastStatus: status,
      lastError: error,
      tries: appendTry(delivery.tries, made),
      failingSinceMs: undefined,
    };
    await service.store.endDeliveries({ scope, endpointId: id, results: [result] });
  }
  return toDelivery(await find());
}

function computeNextState(
  { clock, jitter = Math.random }: WebhooksService,
  { id, attempts }: StoredDelivery,
  isDelivered: boolean,
): Pick<StoredDelivery, "status" | "dueAtMs"> {
  if (isDelivered) return { status: "delivered", dueAtMs: null };
  const random = () => jitter(`${id} ${attempts}`);
  const pauseMs = computeNextAttempt(listenerSchedule, attempts + 1, { random });
  return pauseMs === undefined
    ? { status: "failed", dueAtMs: null }
    : { status: "pending", dueAtMs: clock() + pauseMs };
}
