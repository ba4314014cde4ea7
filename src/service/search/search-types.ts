import type { Scope } from "../database/scope.ts";

/**
 * The lease of the index of an account and mode. While it lasts, no other replica writes that index. A replica that
 * leases it again later has another `owner`.
 */
export type IndexLease = { scope: Scope; owner: string };

/** An index that something has to be written to, and the lease of the replica that writes it, which may have ended. */
export type DueIndex = IndexLease & { untilMs: number };

/** The payments that a step of the index takes: up to `limit` payments, none newer than the id `upTo`. */
export type IndexPart = {
  upTo: string;
  limit: number;
  /** Nothing appears any more up to this id. */
  settledTo: string;
  /** How far back from the end of the index payments are looked for that appeared late; undefined: nowhere. */
  lateMs: number | undefined;
};

export type SearchStore = {
  /**
   * The indexes that something has to be written to. Accounts without an index get one, which begins at the payment id
   * `from`; an index by older rules begins anew there.
   */
  findIndexesToWrite(from: string, nowMs: number): Promise<DueIndex[]>;
  /** Leases an index until `untilMs`; false where another replica's lease lasts. */
  leaseIndex(lease: IndexLease, nowMs: number, untilMs: number): Promise<boolean>;
  /**
   * Indexes new payments, and what has changed or appeared late since it was indexed; then, where the new ones are
   * fewer than the limit, payments from before the index; few of them where many are new. Large payments are fewer in a
   * step. Returns how many payments it indexed, and whether the next step may follow at once.
   */
  indexPayments(lease: IndexLease, part: IndexPart): Promise<{ indexed: number; hasMore: boolean }>;
  /**
   * Merges segments of a similar size, if there are `minSegments`, into one of `minPayments` to `maxPayments`; returns
   * whether there were any. The merged ones are retired at the time of the clock when the merge ends. `isPaced`: it
   * takes twice as long, and leaves half of the time to other writers.
   */
  mergeSegments(
    lease: IndexLease,
    sizes: { minPayments: number; maxPayments: number; minSegments: number; isPaced?: boolean },
    clock: () => number,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Deletes what is left of merges that were not finished. */
  purgeUnfinishedSegments(lease: IndexLease, signal?: AbortSignal): Promise<void>;
  /** Deletes segments that were retired before a time. */
  purgeRetiredSegments(lease: IndexLease, beforeMs: number, signal?: AbortSignal): Promise<void>;
  /** The id of the oldest payment that is not indexed. */
  findOldestUnindexed(): Promise<string | undefined>;
};
