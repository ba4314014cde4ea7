import { toMaskedError, type Log } from "../http/log.ts";
import type { Service } from "../use-cases/service.ts";
import type { createScheduler } from "./scheduler.ts";
import { runRepeatedly } from "./repeat.ts";

/** Settles charges in the background, whenever `alarm` rings; what it gives ends that. */
export function settleCharges(
  service: Service,
  alarm: ReturnType<typeof createScheduler>,
  log: Log | undefined,
): () => Promise<void> {
  const settler = service.createChargeSettler({
    wake: () => alarm.setFor(Date.now()),
    broken: (error) => log?.error({ err: toMaskedError(error) }, "a charge was not settled"),
  });
  const endLoop = runRepeatedly(alarm.wait, settler.settle, log);
  return async () => {
    settler.end();
    await endLoop();
    await settler.idle();
  };
}
