// The scope of a write, and what is stored of it so that it happens once.

/** Whose data: an account, in one of its two modes. Made by authentication; every use case takes it. */
export type Scope = { accountId: string; livemode: boolean };

export type StoredResponse = { status: number; body: string };

/**
 * What is stored of a request with an idempotency key: its fingerprint and its response. `lockedUntilMs`: until then
 * the network may still be asked, and the response is what it is if nothing more comes; 0 where it is final.
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

/** There is no response yet: the request goes on when it comes again. */
export const noResponseYet: StoredResponse = { status: 0, body: "" };

/**
 * `replayed`, `mismatch`, `in_progress`: the idempotency key was taken by the same, by another, or by the same
 * request that is not answered yet; nothing was written.
 */
export type WriteOutcome =
  | { outcome: "written" }
  | { outcome: "replayed"; response: StoredResponse }
  | { outcome: "in_progress" }
  | { outcome: "mismatch" };

/** `conflict`: what was to be changed is no longer as it was expected, and nothing was written. */
export type ChangeOutcome = WriteOutcome | { outcome: "conflict" };
