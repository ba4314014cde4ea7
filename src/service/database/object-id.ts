export { parseCreated, parseCreatedMs } from "../../runtime/time.ts";

/**
 * The id of a payment, an event, a delivery, a request or an activity is its prefix and a UUIDv7, whose first 48 bits
 * are the time of creation in Unix milliseconds: the order of ids is the order of creation, and a range of time is a
 * range of ids.
 */
const maxMs = 2 ** 48 - 1;
export type Prefix = "pay_" | "evt_" | "del_" | "we_" | "act_" | "req_";

/** Sorts after every id of a kind. */
export function maxIdOf(prefix: Prefix): string {
  return `${prefix}g`;
}

/** Sorts before every id created at or after a time in Unix seconds, and after all earlier ones. */
export function toIdBound(prefix: Prefix, seconds: number): string {
  const hex = Math.min(Math.round(seconds * 1000), maxMs)
    .toString(16)
    .padStart(12, "0");
  return `${prefix}${hex.slice(0, 8)}-${hex.slice(8)}`;
}
