import { withTimeout } from "../../runtime/timeouts.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports, RequestLogSettings } from "../ports/ports.ts";
import type { StoredRequest } from "../ports/request-store.ts";

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
/** Few enough for one write that a payment's write beside it does not wait long. */
const batchSize = 512;
/** How long a service that ends waits for the store to take the last requests. */
const lastWriteMs = 2_000;

/**
 * Logs requests behind their responses: they wait in a buffer, and are written in batches. No request waits for that
 * or fails because of it: while the store cannot take them, the buffer drops its oldest. A process that is killed
 * loses what waits.
 */
export function createRequestLog({ store, requestLog }: Pick<Ports, "store" | "requestLog">) {
  const { retentionMs, maxBuffered, observe } = requestLog;
  let buffer: StoredRequest[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  let written = new Map<string, Scope>();

  function dropOldest(): void {
    const excess = buffer.length - maxBuffered;
    if (excess <= 0) return;
    // A tenth more, since to cut an array costs as much as all of its rest.
    const dropped = buffer.splice(0, excess + Math.floor(maxBuffered / 10));
    observe?.dropped?.(dropped.length);
  }

  function schedule(inMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void writeAll();
    }, inMs).unref();
  }

  async function writeAll(): Promise<void> {
    await (writing ??= writeBatches().finally(() => (writing = undefined)));
    if (buffer.length > 0) schedule(isFailing ? retryMs : gatherMs);
  }

  /** One after the other, so that each shares a commit with the payments that were written meanwhile. */
  async function writeBatches(): Promise<void> {
    for (let count = buffer.length; count > 0; count -= batchSize) {
      const batch = buffer.splice(0, Math.min(batchSize, count));
      const refused = await writeBatch(batch);
      if (refused.length === 0) continue;
      buffer.unshift(...refused);
      dropOldest();
      return;
    }
  }

  /** Answers the requests that the store has not taken. */
  async function writeBatch(batch: readonly StoredRequest[]): Promise<readonly StoredRequest[]> {
    try {
      await writeParts(batch);
      if (isFailing) observe?.recovered?.();
      isFailing = false;
      for (const { scope } of batch) written.set(`${scope.accountId} ${scope.livemode}`, scope);
      return [];
    } catch (error) {
      if (!isFailing) observe?.failed?.(error);
      isFailing = true;
      if (error instanceof Unavailable) return batch;
      observe?.dropped?.(batch.length); // it would be refused again
      return [];
    }
  }

  /** If a part of the database cannot be reached, the requests of accounts elsewhere are written all the same. */
  async function writeParts(batch: readonly StoredRequest[]): Promise<void> {
    try {
      await store.logRequests(batch);
    } catch (error) {
      const accounts = [...Map.groupBy(batch, ({ scope }) => scope.accountId).values()];
      if (accounts.length === 1) throw error;
      const parts = await Promise.allSettled(accounts.map(async (of) => store.logRequests(of)));
      if (parts.some(({ status }) => status === "rejected")) throw error;
    }
  }

  return {
    logRequest: (request: StoredRequest): void => {
      if (retentionMs === 0) return;
      buffer.push(request);
      dropOldest();
      schedule(isFailing ? retryMs : gatherMs);
    },
    /** The accounts and modes of which requests were stored since this was last called. */
    takeWrittenScopes: (): Scope[] => {
      const scopes = [...written.values()];
      written = new Map();
      return scopes;
    },
    /** Writes what waits, where the store takes it within 2 s: for a service that ends. */
    flushRequests: async (): Promise<void> => {
      clearTimeout(timer);
      timer = undefined;
      const last = Promise.resolve(writing).then(writeBatches);
      await withTimeout(last, lastWriteMs, () => {});
    },
  };
}
