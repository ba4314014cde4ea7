import { withTimeout } from "../../runtime/timeouts.ts";
import { toMaskedError, type Log } from "../http/log.ts";
import type { DeliveryObserver } from "../webhooks/record-attempt.ts";
import type { Service } from "../use-cases/service.ts";
import { createWebhookSender } from "../sender/sender.ts";
import type { createScheduler } from "./scheduler.ts";
import { runRepeatedly } from "./repeat.ts";

/** How long what is on its way may take when a service ends; then it is left to whoever goes on. */
const finishMs = 5_000;

type Options = {
  allowPrivate: boolean;
  version: string;
  observe: Pick<DeliveryObserver, "ended">;
  log: Log | undefined;
};

/** Delivers webhooks in the background, whenever `alarm` rings; what it gives ends that. */
export function deliverWebhooks(
  service: Service,
  alarm: ReturnType<typeof createScheduler>,
  { allowPrivate, version, observe, log }: Options,
): () => Promise<void> {
  const sender = createWebhookSender({ allowPrivate, version });
  const deliverer = service.createWebhookWorker({
    sender,
    wake: () => alarm.setFor(Date.now()),
    observe: {
      ...observe,
      disabled: ({ livemode }, endpoint, reason) =>
        log?.error({ endpoint, livemode, reason }, "a webhook endpoint was disabled"),
      broken: (error) => log?.error({ err: toMaskedError(error) }, "a delivery was not finished"),
    },
  });
  const endLoop = runRepeatedly(alarm.wait, deliverer.deliver, log);
  return async () => {
    deliverer.end();
    await endLoop();
    await withTimeout(deliverer.idle(), finishMs, () => {});
    await sender.close();
    await deliverer.idle();
  };
}
