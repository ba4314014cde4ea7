import { within } from "../../runtime/timeouts.ts";
import { maskedError, type Log } from "../http/log.ts";
import type { DeliveryObserver } from "../webhooks/end-delivery.ts";
import type { Service } from "../use-cases/service.ts";
import { webhookSender } from "../sender/sender.ts";
import type { createAlarm } from "./scheduler.ts";
import { repeat } from "./repeat.ts";

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
  alarm: ReturnType<typeof createAlarm>,
  { allowPrivate, version, observe, log }: Options,
): () => Promise<void> {
  const sender = webhookSender({ allowPrivate, version });
  const deliverer = service.createDeliverer({
    sender,
    wake: () => alarm.setFor(Date.now()),
    observe: {
      ...observe,
      disabled: ({ livemode }, endpoint, reason) =>
        log?.error({ endpoint, livemode, reason }, "a webhook endpoint was disabled"),
      broken: (error) => log?.error({ err: maskedError(error) }, "a delivery was not finished"),
    },
  });
  const endLoop = repeat(alarm.wait, deliverer.deliver, log);
  return async () => {
    deliverer.end();
    await endLoop();
    await within(deliverer.idle(), finishMs, () => {});
    await sender.close();
    await deliverer.idle();
  };
}
