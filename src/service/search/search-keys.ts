import type { SearchTerm } from "./payment-search.ts";

// A key stands for a payment in the index: the time of its creation and the last three digits of its id, in 53 bits.
// Two payments have the same key only if they were created in the same millisecond, and then rarely. Keys are ordered
// by time.

const tails = 16 ** 3;
/** Keys count from the year 2000, and last until 2069. */
const firstMs = Date.UTC(2000);
const maxMs = 2 ** 41 - 1;
const maxKey = (maxMs + 1) * tails - 1;

export function toKey(paymentId: string): number {
  return toKeyMs(paymentId) * tails + parseInt(paymentId.slice(-3), 16);
}

/** The milliseconds in a key. Bounds of lists are ids too, or a part of one. */
function toKeyMs(id: string): number {
  const ms = parseInt(id.slice(4, 12) + id.slice(13, 17), 16);
  return Math.min(Math.max(ms - firstMs, 0), maxMs);
}

/** The keys of all ids between two bounds of a list. */
export function toKeyRange({ above, below }: { above: string; below: string }) {
  return {
    low: above === "" ? 0 : toKeyMs(above) * tails,
    high: below < "pay_g" ? toKeyMs(below) * tails + tails - 1 : maxKey,
  };
}

/** A bound after an id and before all that follow it: no id begins with another one. */
export function justAfter(id: string): string {
  return id === "" ? "" : `${id}-`;
}

/** Whether two keys are of the same millisecond. */
export function isSameMs(a: number, b: number): boolean {
  return Math.floor(a / tails) === Math.floor(b / tails);
}

/** The range of ids that have a key, and how they end. */
export function toIdRange(key: number): { low: string; high: string; tail: string } {
  const ms = Math.floor(key / tails);
  return {
    low: ms === 0 ? "" : toBound(ms),
    high: ms === maxMs ? "pay_g" : toBound(ms + 1),
    tail: (key % tails).toString(16).padStart(3, "0"),
  };
}

function toBound(ms: number): string {
  const hex = (ms + firstMs).toString(16).padStart(12, "0");
  return `pay_${hex.slice(0, 8)}-${hex.slice(8)}`;
}

export const hashBits = 38;

/** A term's hash of `hashBits` bits. Two terms with the same hash are told apart by the payments themselves. */
export function hashTerm(term: SearchTerm): number {
  let low = 0x811c9dc5;
  let high = 0x2545f491;
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (low >>> 15), 0x85ebca6b);
  }
  const upper = ((high ^ (high >>> 16)) >>> 0) % 2 ** (hashBits - 32);
  return upper * 2 ** 32 + (low >>> 0);
}
