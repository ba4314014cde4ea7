import type { AccountStore } from "../accounts/accounts-store.ts";
import type { Clock } from "../database/ids.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/promises.ts";
import type { Scope } from "../database/scope.ts";
import type { RequestStore, StoredRequest } from "./requests-store.ts";

/** The service, as use cases of logged requests take it. */
export type RequestsService = {
  store: RequestStore & Pick<AccountStore, "listAccounts">;
  clock: Clock;
  requestLog: RequestLogSettings;
};

export const defaultRequestLog: RequestLogSettings = {
  retentionMs: 7 * 24 * 60 * 60 * 1000,
  maxStored: 1_000_000,
  maxBuffered: 10_000,
  logsReads: true,
};

/** How long a request waits in memory for others that are written with it. */
const gatherMs = 400;
/** After the store has refused requests. */
const retryMs = 1_000;
/**
 * So many are written at once, and do not wait any longer. Fewer would write the last pages of the table and its indexes
 * more often, with the payments; more would hold up the requests that come meanwhile, and outlive the young part of the
 * heap.
 */
const batchSize = 512;
/** How long a service that ends waits for the store to take the last requests. */
const lastWriteMs = 2_000;

/**
 * Logs requests behind their responses: they wait in a buffer, and are written in batches. No request waits for that
 * or fails because of it: while the store cannot take them, the buffer drops its oldest. A process that is killed
 * loses what waits.
 */
export function createRequestLog({
  store,
  requestLog,
}: Pick<RequestsService, "store" | "requestLog">) {
  const { retentionMs, maxBuffered, observe } = requestLog;
  let buffer: StoredRequest[] = [];
  let writing: Promise<void> | undefined;
  let sentCount = 0;
  let timer: { waitMs: number; handle: NodeJS.Timeout } | undefined;
  let isFailing = false;
  let written = new Map<string, Scope>();

  function dropOldest(): void {
    const excess = buffer.length - maxBuffered;
    if (excess <= 0) return;
    // A tenth more, since to cut an array costs as much as all of its rest.
    const dropped = buffer.splice(0, excess + Math.floor(maxBuffered / 10));
    observe?.dropped?.(dropped.length);
  }

  /** Sets the time of the next write, unless one is under way, which does so when it ends. */
  function schedule(): void {
    if (writing || buffer.length === 0) return;
    const waitMs = isFailing ? retryMs : buffer.length < batchSize ? gatherMs : 0;
    if (timer && (waitMs > 0 || timer.waitMs === 0)) return;
    clearTimeout(timer?.handle);
    timer = { waitMs, handle: setTimeout(() => void writeAll(), waitMs).unref() };
  }

  async function writeAll(): Promise<void> {
    for (let running = writing; running; running = writing) await running;
    clearTimeout(timer?.handle);
    timer = undefined;
    writing = writeBatches().finally(() => (writing = undefined));
    await writing;
    schedule();
  }

  /** One after the other, so that each shares a commit with the payments that were written meanwhile. */
  async function writeBatches(): Promise<void> {
    let error: unknown;
    for (let count = buffer.length; count > 0 && !(error instanceof Unavailable);) {
      const batch = buffer.splice(0, Math.min(batchSize, count));
      count -= batch.length;
      sentCount = batch.length;
      error = await writeBatch(batch);
      sentCount = 0;
      if (error instanceof Unavailable) buffer.unshift(...batch);
      else if (error !== undefined) observe?.dropped?.(batch.length); // they would be refused again
      report(error);
    }
    dropOldest();
  }

  /** Says once that the store refuses requests, and once that it takes them again. */
  function report(error: unknown): void {
    if (error === undefined && isFailing) observe?.recovered?.();
    if (error !== undefined && !isFailing) observe?.failed?.(error);
    isFailing = error !== undefined;
  }

  /** The store's error, where it has taken none of them. */
  async function writeBatch(batch: readonly StoredRequest[]): Promise<unknown> {
    try {
      await store.logRequests(batch, isFailing); // what was refused may be written, and is all in this batch
      for (const { scope } of batch) written.set(`${scope.accountId} ${scope.livemode}`, scope);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  return {
    logRequest: (request: StoredRequest): void => {
      if (retentionMs === 0) return;
      buffer.push(request);
      dropOldest();
      schedule();
    },
    /** The accounts and modes of which requests were stored since this was last called. */
    takeWrittenScopes: (): Scope[] => {
      const scopes = [...written.values()];
      written = new Map();
      return scopes;
    },
    /** Writes what waits, for a service that ends; returns how many the store has not taken within 2 s. */
    flushRequests: async (): Promise<number> => {
      await withTimeout(writeAll(), lastWriteMs, () => {});
      return sentCount + buffer.length;
    },
  };
}

/** How requests are logged. */
export type RequestLogSettings = {
  /** 7 days by default; 0: nothing is logged. */
  retentionMs: number;
  /** How many are stored of an account and mode; 1,000,000 by default. */
  maxStored: number;
  /** How many wait in memory to be stored; beyond that the oldest are dropped. 10,000 by default. */
  maxBuffered: number;
  /** Whether reads that failed are logged, too; true by default. */
  logsReads: boolean;
  observe?: RequestLogObserver | undefined;
};

/** Observes the request log; it must not throw. */
export type RequestLogObserver = {
  /** Requests were dropped, because the store did not take them in time. */
  dropped?: (count: number) => void;
  /** The store has begun to refuse requests. */
  failed?: (error: unknown) => void;
  /** The store takes them again. */
  recovered?: () => void;
  /** The service ends, and the store has not taken the last ones. */
  lost?: (count: number) => void;
};
