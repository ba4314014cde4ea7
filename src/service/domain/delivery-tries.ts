import type { DeliveryTry } from "../../contract/delivery.ts";
import { maxTries } from "../../contract/field-values.ts";

/** The outcome of a request with an event, as a try shows it. */
type TryOutcome = Pick<DeliveryTry, "status" | "error" | "answer">;

/** A try that began at one time and ended at another, in Unix milliseconds. */
export function buildTry(
  { status, error, answer }: TryOutcome,
  { startMs, endMs }: { startMs: number; endMs: number },
): DeliveryTry & { duration_ms: number } {
  // The system's clock may have been set back meanwhile.
  const durationMs = Math.max(0, endMs - startMs);
  return { created: Math.floor(startMs / 1000), status, duration_ms: durationMs, error, answer };
}

/** The tries that are stored after one more. */
export function appendTry(tries: readonly DeliveryTry[], next: DeliveryTry): DeliveryTry[] {
  return [...tries, next].slice(-maxTries);
}
