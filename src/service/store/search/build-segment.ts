import type { Payment } from "../../../contract/payment.ts";
import { listTerms } from "../../domain/payment-search.ts";
import type { Segment } from "../sql/search-sql.ts";
import { createBlockWriter, type Block } from "./posting-blocks.ts";
import { hashBits, hashTerm, toKey } from "./search-keys.ts";

/** A term's hash and the number of its payment fit in one number of 53 bits, which sorts fast. */
export const maxSegmentPayments = 2 ** (53 - hashBits);

/** A segment of up to `maxSegmentPayments` payments, with its blocks in the order of their keys. */
export function buildSegment(
  segment: number,
  payments: Payment[],
): { segment: Segment; blocks: Block[] } {
  const keys = payments.map(({ id }) => toKey(id));
  const postings = payments.flatMap((payment, number) =>
    listTerms(payment).map((term) => hashTerm(term) * maxSegmentPayments + number),
  );
  const blocks: Block[] = [];
  const writer = createBlockWriter((block) => blocks.push(block));
  let ofTerm: number[] = [];
  const sorted = Float64Array.from(postings).toSorted();
  for (const [at, posting] of sorted.entries()) {
    const number = posting % maxSegmentPayments;
    const hash = (posting - number) / maxSegmentPayments;
    ofTerm.push(keys[number] ?? 0);
    const next = sorted[at + 1];
    if (next !== undefined && Math.floor(next / maxSegmentPayments) === hash) continue;
    writer.add({ hash, keys: sortUnique(ofTerm), hasMore: false });
    ofTerm = [];
  }
  writer.end();
  const low = keys.reduce((least, key) => Math.min(least, key), Infinity);
  const high = keys.reduce((greatest, key) => Math.max(greatest, key), 0);
  return { segment: { segment, payments: payments.length, low, high }, blocks };
}

/** Keys in order, each once. They mostly are. */
export function sortUnique(keys: number[]): number[] {
  let isSorted = true;
  for (let at = 1; at < keys.length && isSorted; at++)
    isSorted = (keys[at - 1] ?? 0) < (keys[at] ?? 0);
  if (isSorted) return keys;
  const sorted = Float64Array.from(keys).toSorted();
  return Array.from(sorted.filter((key, at) => at === 0 || key !== sorted[at - 1]));
}
