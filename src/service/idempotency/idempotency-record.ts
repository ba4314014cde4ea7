import type { Activity } from "../../contract/administration.ts";
import type { Scope } from "../database/scope.ts";
export type StoredResponse = { status: number; body: string };

/**
 * The fingerprint and the response of a request with an idempotency key. Until `lockedUntilMs` the card network may
 * still answer, and the response is provisional; 0 where it is final.
 */
export type IdempotencyRecord = {
  key: string;
  fingerprint: string;
  response: StoredResponse;
  lockedUntilMs: number;
  nowMs: number;
  expiresAtMs: number;
};

export type StoredRecord = Pick<IdempotencyRecord, "fingerprint" | "response" | "lockedUntilMs">;

/** A request whose record is locked; `response` where it is known. */
export type LockedRequest = {
  key: string;
  fingerprint: string;
  response?: StoredResponse | undefined;
};

/** The request has no response yet; a retry continues it. */
export const noResponseYet: StoredResponse = { status: 0, body: "" };

/**
 * If the idempotency key was used before, nothing is written: `replayed` by the same request, `mismatch` by
 * another one, `in_progress` by the same one, which has no response yet.
 */
export type WriteOutcome =
  | { outcome: "written" }
  | { outcome: "replayed"; response: StoredResponse }
  | { outcome: "in_progress" }
  | { outcome: "mismatch" };

/** `conflict`: what was to be changed is no longer as it was expected, and nothing was written. */
export type ChangeOutcome = WriteOutcome | { outcome: "conflict" };

export type IdempotencyStore = {
  findStoredResponse(scope: Scope, key: string, nowMs: number): Promise<StoredRecord | undefined>;
  /** Releases the lock of a request's record, with its response where that is known. */
  releaseLock(scope: Scope, request: LockedRequest): Promise<void>;
  storeResponse(
    scope: Scope,
    idempotency: IdempotencyRecord | undefined,
    activity?: readonly Activity[],
  ): Promise<WriteOutcome>;
  /** Purges up to `limit` expired idempotency records; returns how many. */
  purgeIdempotencyRecords(nowMs: number, limit: number): Promise<number>;
};
