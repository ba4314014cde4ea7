import { setImmediate } from "node:timers/promises";
import type { Payment } from "../../contract/payment.ts";
import { type Driver, batch, readOne } from "../database/driver.ts";
import { maxIdOf } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import { createWriter, toScopeKey } from "./announce-writer.ts";
import { type Unindexed, maxUnindexed } from "./find-unindexed.ts";
import { listTermHashes } from "./payment-terms.ts";
import { selectPaymentsToIndex } from "./search-index-sql.ts";
import { justAfter, toKey } from "./search-keys.ts";
import {
  type Change,
  type Progress,
  type RecentRange,
  type Segment,
  countPayments,
  selectChanges,
  selectIdBeforeNewest,
  selectIdsAfter,
  selectPaymentsByIds,
  selectProgress,
  selectRecent,
  selectRecentRanges,
  selectSegments,
  selectWriters,
} from "./search-sql.ts";

/** The terms of some payments, each as the lower half of its hash; those of payment `at` end at `ends[at]`. */
export type FoldedPayments = { keys: number[]; ends: number[]; hashes: Uint32Array };

/** `from` and `upTo` are their ids; `changes` says for which changes of theirs they were folded. */
type Folded = FoldedPayments & { from: string; upTo: string; changes: Change[] | undefined };

/** What a search reads first: the index, and what it lacks. */
export type SearchState = Unindexed & { segments: Segment[]; folded: FoldedPayments[] };

type IndexedRange = Omit<RecentRange, "found">;

type PaymentTerms = { id: string; hashes: number[] };

type Read = Promise<SearchState | undefined>;

/** What is known of an account and mode since its last search. */
type Memory = {
  /** All payments up to this id are known or indexed; of later ones, those whose ids are in `unsettled`. */
  settledTo: string;
  unsettled: Set<string>;
  /** The ranges, by their ends, that are indexed as a whole, and in which nothing has appeared since. */
  complete: Map<string, IndexedRange>;
  /** Payments that the index lacked. */
  folded: Folded[];
  coveredTo: string;
  /** Written by this process since the last search, which does not wait until they are folded. */
  made: Map<string, PaymentTerms>;
  madeTerms: number;
};

/** Where more ids than these have to be compared, all is read anew. */
const maxUnsettled = 4_096;

const readAtOnce = 256;

/** Some milliseconds of work, between which other requests have their turn; a large payment has thousands. */
const termsAtOnce = 8_192;

/** Of payments that nobody has searched for as long, nothing is kept. */
const unusedMs = 5_000;

/** A write commits within 20 s of its id, or never; the rest allows for clocks that differ. */
const unannouncedMs = 60_000;

/** Of all accounts together: four bytes each. */
const maxTerms = 2 * 1024 * 1024;

/** Of what this process has made, eight bytes each; every account may have an equal part. */
const maxMadeTerms = 1024 * 1024;

const maxMemories = 100;

const maxSearched = 10_000;

/**
 * Remembers the terms of what the index lacks, so that each payment is read and folded once, and not for every search.
 * What has appeared since the last search is found by the ids after the one up to which every process that writes has
 * announced that nothing of its own appears any more.
 */
export function createUnindexedMemory(driver: Driver) {
  const memories = new Map<string, Memory>();
  /** When accounts were last searched: for a single search it would not pay to remember anything. */
  const searched = new Map<string, number>();
  const reads = new Map<string, { running: Read; next?: Read }>();
  const writer = createWriter({
    // Its id may be older than those of another process whose clock is ahead.
    begun: ({ scope, payment }) => {
      if (memories.size === 0) return;
      const key = toScopeKey(scope);
      if (payment.id <= (memories.get(key)?.settledTo ?? "")) memories.delete(key);
    },
    written: ({ scope, payment }) => {
      if (memories.size === 0) return;
      const key = toScopeKey(scope);
      const memory = memories.get(key);
      if (!memory) return;
      const terms = listTerms(payment);
      memory.made.set(payment.id, terms);
      memory.madeTerms += terms.hashes.length;
      const isUnused = performance.now() - (searched.get(key) ?? 0) > unusedMs;
      const isTooMuch = memory.madeTerms > maxMadeTerms / memories.size;
      if (isUnused || isTooMuch || memory.made.size > maxUnindexed) memories.delete(key);
    },
  });

  async function read(scope: Scope): Promise<SearchState | undefined> {
    const key = toScopeKey(scope);
    const nowMs = performance.now();
    const lastMs = searched.get(key) ?? -Infinity;
    if (searched.size > maxSearched) searched.clear();
    searched.set(key, Math.max(lastMs, nowMs));
    const memory = memories.get(key);
    const state = memory && (await readOn(scope, memory));
    if (state && memories.get(key) === memory) {
      forgetSome();
      return state;
    }
    memories.delete(key);
    const isUsed = lastMs <= nowMs && nowMs - lastMs <= unusedMs;
    return isUsed && searched.get(key) === nowMs ? await begin(scope) : undefined;
  }

  /** Forgets the accounts that were remembered first, where all together are too many, or too large. */
  function forgetSome(): void {
    let terms = 0;
    for (const memory of memories.values()) terms += countTerms(memory);
    for (const [key, memory] of memories) {
      if (terms <= maxTerms && memories.size <= maxMemories) return;
      terms -= countTerms(memory);
      memories.delete(key);
    }
  }

  /** Reads all that the index lacks, to remember it; undefined where that is too much. */
  async function begin(scope: Scope): Promise<SearchState | undefined> {
    const { accountId } = scope;
    const key = toScopeKey(scope);
    const memory: Memory = {
      settledTo: "",
      unsettled: new Set(),
      complete: new Map(),
      folded: [],
      coveredTo: "",
      made: new Map(),
      madeTerms: 0,
    };
    memories.set(key, memory); // from now on it gets what this process writes
    const endRead = writer.beginRead();
    const [others, newest = ""] = await driver.read(
      () => batch(selectWriters(scope, writer.writer), selectIdBeforeNewest(scope, "", 0)),
      accountId,
    );
    memory.settledTo = findOldest([...endRead(), ...others], newest);
    // The ids first: what appears later is found by the next search.
    const [ids, progress, changes, recent, segments] = await driver.read(
      () =>
        batch(
          selectIdsAfter(scope, memory.settledTo, maxUnsettled + 1),
          selectProgress(scope),
          selectChanges(scope, maxUnindexed + 1),
          selectRecent(scope, { above: "", below: maxIdOf("pay_") }),
          selectSegments(scope),
        ),
      accountId,
    );
    const incomplete = recent.filter(({ payments, found }) => payments !== found);
    const parts = [
      { above: progress?.to ?? "", below: maxIdOf("pay_") },
      ...incomplete.map(({ after, upTo }) => ({ above: after, below: justAfter(upTo) })),
    ];
    const counts = await countParts(scope, parts);
    const sum = counts.reduce((all, count) => all + count, changes.length);
    if (!progress || ids.length > maxUnsettled || sum > maxUnindexed) {
      memories.delete(key);
      return undefined;
    }
    memory.unsettled = new Set(ids);
    memory.coveredTo = progress.to;
    for (const range of recent)
      if (!incomplete.includes(range)) memory.complete.set(range.upTo, range);
    for (const { above, below } of parts) {
      for (let from = above, hasMore = true; hasMore; await setImmediate()) {
        const range = { above: from, below, limit: readAtOnce, isBackward: false };
        const next = await readOne(driver, selectPaymentsToIndex(scope, range), accountId);
        from = next.at(-1)?.id ?? from;
        hasMore = next.length === readAtOnce;
        await fold(
          memory,
          next.map(({ payment }) => payment),
        );
      }
    }
    await foldChanges(scope, memory, changes);
    forgetSome();
    return toState(memory, { progress, segments });
  }

  async function countParts(scope: Scope, parts: { above: string; below: string }[]) {
    if (parts.length === 0) return [];
    const statements = parts.map((part) =>
      countPayments(scope, { ...part, limit: maxUnindexed + 1 }),
    );
    return await driver.read(() => batch(...statements), scope.accountId);
  }

  /** Reads what is new since the last search; undefined where all has to be read anew. */
  async function readOn(scope: Scope, memory: Memory): Promise<SearchState | undefined> {
    const { accountId } = scope;
    const endRead = writer.beginRead();
    const [others, ids, progress, changes, recent, segments] = await driver.read(
      () =>
        batch(
          selectWriters(scope, writer.writer),
          selectIdsAfter(scope, memory.settledTo, maxUnsettled + 1),
          selectProgress(scope),
          selectChanges(scope, maxUnindexed + 1),
          selectRecentRanges(scope),
          selectSegments(scope),
        ),
      accountId,
    );
    const known = countFolded(memory) + ids.length + changes.length;
    if (ids.length > maxUnsettled || known > maxUnindexed) return undefined;
    if (!progress || progress.to < memory.coveredTo) return undefined;
    // The clock of a process that has begun to write is behind, and perhaps its ids are.
    if (others.some((settledTo) => settledTo < memory.settledTo)) return undefined;
    const appeared = ids.filter((id) => !memory.unsettled.has(id));
    const own = appeared.map((id) => {
      const open = writer.findInFlight(id);
      return memory.made.get(id) ?? (open && listTerms(open));
    });
    // A program of before does not announce what it writes: for a while nothing is remembered.
    if (others.length === 0 && own.includes(undefined)) {
      searched.set(toScopeKey(scope), performance.now() + unannouncedMs);
      return undefined;
    }
    memory.settledTo = findOldest([...endRead(), ...others], ids.at(-1) ?? memory.settledTo);
    memory.unsettled = new Set(ids.filter((id) => id > memory.settledTo));
    for (const id of memory.made.keys())
      if (id <= memory.settledTo || memory.unsettled.has(id)) memory.made.delete(id);
    memory.madeTerms = 0;
    memory.coveredTo = progress.to;
    addFolded(
      memory,
      own.filter((terms) => terms !== undefined),
    );
    await foldStored(
      scope,
      memory,
      appeared.filter((_, at) => own[at] === undefined),
    );
    await foldChanges(scope, memory, changes);
    const incomplete = await findIncomplete(scope, memory, recent, appeared);
    memory.folded = memory.folded.filter(({ from, upTo, changes: folded }) =>
      folded
        ? folded.some(isAmong(changes))
        : upTo > progress.to ||
          incomplete.some((range) => range.after < upTo && range.upTo >= from),
    );
    return toState(memory, { progress, segments });
  }

  /** The ranges that are not indexed as a whole; those are counted in which something may have appeared. */
  async function findIncomplete(
    scope: Scope,
    memory: Memory,
    recent: IndexedRange[],
    appeared: string[],
  ): Promise<IndexedRange[]> {
    const complete = new Map<string, IndexedRange>();
    const others: IndexedRange[] = [];
    for (const range of recent) {
      const known = memory.complete.get(range.upTo);
      if (known && !appeared.some((id) => id > known.after && id <= known.upTo))
        complete.set(known.upTo, known);
      else others.push(range);
    }
    const counts = await countParts(
      scope,
      others.map(({ after, upTo }) => ({ above: after, below: justAfter(upTo) })),
    );
    for (const [at, range] of others.entries())
      if (range.payments === counts[at]) complete.set(range.upTo, range);
    memory.complete = complete;
    return others.filter(({ upTo }) => !complete.has(upTo));
  }

  /** `changes`: those for which the payments are folded. */
  async function foldStored(scope: Scope, memory: Memory, ids: string[], changes?: Change[]) {
    for (let at = 0; at < ids.length; at += readAtOnce) {
      const statements = selectPaymentsByIds(scope, ids.slice(at, at + readAtOnce));
      const found = await driver.read(() => batch(...statements), scope.accountId);
      await fold(memory, found.flat(), changes?.slice(at, at + readAtOnce));
    }
  }

  async function foldChanges(scope: Scope, memory: Memory, changes: Change[]): Promise<void> {
    const isKnown = isAmong(memory.folded.flatMap((each) => each.changes ?? []));
    const fresh = changes.filter((change) => !isKnown(change));
    const ids = fresh.map(({ paymentId }) => paymentId);
    await foldStored(scope, memory, ids, fresh);
  }

  return {
    begin: writer.begin,
    follow: writer.follow,
    /** One read at a time for each account and mode; searches that begin meanwhile share the next one. */
    read: async (scope: Scope): Read => {
      const key = toScopeKey(scope);
      const run = (): Read => {
        const running = read(scope).catch((error: unknown) => {
          memories.delete(key);
          throw error;
        });
        reads.set(key, { running });
        const end = () => {
          if (reads.get(key)?.running === running && !reads.get(key)?.next) reads.delete(key);
        };
        running.then(end, end);
        return running;
      };
      const current = reads.get(key);
      if (!current) return await run();
      return await (current.next ??= current.running.then(run, run));
    },
  };
}

function listTerms(payment: Payment): PaymentTerms {
  return { id: payment.id, hashes: listTermHashes(payment) };
}

function findOldest([first, ...others]: string[], otherwise: string): string {
  if (first === undefined) return otherwise;
  return others.reduce((oldest, id) => (id < oldest ? id : oldest), first);
}

function countFolded({ folded }: Memory): number {
  return folded.reduce((sum, { keys }) => sum + keys.length, 0);
}

function isAmong(changes: Change[]): (change: Change) => boolean {
  const revisions = new Map(changes.map(({ paymentId, revision }) => [paymentId, revision]));
  return ({ paymentId, revision }) => revisions.get(paymentId) === revision;
}

function toState(
  { folded }: Memory,
  { progress, segments }: { progress: Progress; segments: Segment[] },
): SearchState {
  // The rest, from before the index, is looked at directly.
  const to = maxIdOf("pay_");
  return { progress: { ...progress, to }, changes: [], recent: [], segments, folded: [...folded] };
}

/** Folds stored payments in parts. `changes`: for which these are folded. */
async function fold(memory: Memory, payments: string[], changes?: Change[]): Promise<void> {
  const some: PaymentTerms[] = [];
  let count = 0;
  for (const payment of payments) {
    if (count >= termsAtOnce) {
      addFolded(memory, some.splice(0), changes);
      count = 0;
      await setImmediate();
    }
    const terms = listTerms(JSON.parse(payment) as Payment);
    some.push(terms);
    count += terms.hashes.length;
  }
  addFolded(memory, some, changes);
}

function addFolded({ folded }: Memory, payments: PaymentTerms[], changes?: Change[]): void {
  if (payments.length === 0) return;
  const hashes = payments.flatMap((payment) => payment.hashes);
  const inOrder = payments.map(({ id }) => id).toSorted();
  let end = 0;
  folded.push({
    keys: payments.map(({ id }) => toKey(id)),
    ends: payments.map((payment) => (end += payment.hashes.length)),
    hashes: Uint32Array.from(hashes),
    from: inOrder[0] ?? "",
    upTo: inOrder.at(-1) ?? "",
    changes,
  });
}

function countTerms({ folded }: Memory): number {
  return folded.reduce((sum, { hashes }) => sum + hashes.length, 0);
}
