import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor.ts";
import { sandboxClockHeader } from "../../contract/headers.ts";
import { formatDuration } from "../../runtime/time.ts";
import type { Contact, ServiceResponse } from "./contact-service.ts";

/** A `Date` header has whole seconds. */
const resolutionMs = 1_000;
const limits = { warnMs: 2_000, failMs: 30_000 };

/** The check of the clock, where a service has answered. */
export async function* compareClocks(
  contacted: Promise<Contact> | undefined,
): AsyncGenerator<Check> {
  const response = (await contacted)?.response;
  const check = response && checkClock(response);
  if (check) yield check;
}

/**
 * Compares this machine's clock with the service's `Date`, half the round trip allowed; undefined where there is none.
 * Webhooks and payment pages tolerate at most 30 s.
 */
export function checkClock({
  headers,
  receivedAtMs,
  roundTripMs,
}: ServiceResponse): Check | undefined {
  const serviceMs = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(serviceMs)) return undefined;
  const halfMs = roundTripMs / 2;
  const differenceMs = receivedAtMs - halfMs - (serviceMs + resolutionMs / 2);
  const sizeMs = Math.abs(differenceMs) - halfMs;
  if (headers[sandboxClockHeader] !== undefined) {
    const at = new Date(serviceMs).toISOString().replace(".000", "");
    return reportOk("clock", `The sandbox has a clock of its own, at ${at}.`);
  }
  if (sizeMs <= limits.warnMs) return reportOk("clock", "This machine's clock is the service's.");
  const direction = differenceMs > 0 ? "ahead of" : "behind";
  const detail = `This machine's clock is ${formatDuration(sizeMs)} ${direction} the service's.`;
  const report = sizeMs > limits.failMs ? reportFailure : reportWarning;
  return report("clock", detail, "timedatectl set-ntp true");
}
