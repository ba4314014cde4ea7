import type { ErrorCode } from "../../contract/error.ts";
import type { Listed, Range } from "../database/list-range.ts";
import type { Scope } from "../database/scope.ts";

/** A request of the API, as it is logged: nothing in it is secret. */
export type StoredRequest = {
  scope: Scope;
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  keyId: string;
  keyName: string;
  errorCode: ErrorCode | null;
  errorParam: string | null;
  paymentId: string | null;
  idempotencyKey: string | null;
  isReplayed: boolean;
};

/** `statuses`: any of these. */
export type RequestFilters = {
  statuses: readonly number[] | undefined;
  method: string | undefined;
  paymentId: string | undefined;
  idempotencyKey: string | undefined;
};

export type RequestStore = {
  /** Writes requests, unless they were written before. Errors: none was written. */
  logRequests(requests: readonly StoredRequest[]): Promise<void>;
  findRequest(scope: Scope, id: string): Promise<StoredRequest | undefined>;
  listRequests(scope: Scope, range: Range & RequestFilters): Promise<Listed<StoredRequest>>;
  /**
   * The id of the request that comes `count` after the first one below an id, from newer to older; undefined where
   * there is none.
   */
  skipRequests(scope: Scope, below: string, count: number): Promise<string | undefined>;
  /** Deletes up to `limit` requests below an id, the oldest first; returns how many. */
  purgeRequests(scope: Scope, below: string, limit: number): Promise<number>;
};
