import type { Payment } from "../../contract/payment.ts";
import { listTerms } from "./payment-search.ts";
import type { Segment } from "./search-sql.ts";
import { sortUnique } from "./key-lists.ts";
import { createBlockWriter, type Block } from "./posting-blocks.ts";
import { hashBits, hashTerm, toKey } from "./search-keys.ts";

/** A term's hash and the number of its payment fit in one number of 53 bits, which sorts fast. */
const maxSegmentPayments = 2 ** (53 - hashBits);

/** A segment of up to `maxSegmentPayments` payments, with its blocks in the order of their keys. */
export function buildSegment(payments: Payment[]): Omit<Segment, "segment"> & { blocks: Block[] } {
  const keys = payments.map(({ id }) => toKey(id));
  const postings: number[] = [];
  for (const [number, payment] of payments.entries()) {
    for (const term of listTerms(payment)) {
      postings.push(hashTerm(term) * maxSegmentPayments + number);
    }
  }
  const blocks: Block[] = [];
  const writer = createBlockWriter((block) => blocks.push(block));
  const sorted = new Float64Array(postings).toSorted();
  let ofTerm: number[] = [];
  let hash = -1;
  for (const posting of sorted) {
    const next = Math.floor(posting / maxSegmentPayments);
    const number = posting - next * maxSegmentPayments; // a remainder of such large numbers is slow
    if (next !== hash && ofTerm.length > 0) {
      writer.add({ hash, keys: sortUnique(ofTerm), hasMore: false });
      ofTerm = [];
    }
    hash = next;
    ofTerm.push(keys[number] ?? 0);
  }
  if (ofTerm.length > 0) writer.add({ hash, keys: sortUnique(ofTerm), hasMore: false });
  writer.end();
  const low = keys.reduce((least, key) => Math.min(least, key), Infinity);
  const high = keys.reduce((greatest, key) => Math.max(greatest, key), 0);
  return { payments: payments.length, low, high, blocks };
}
