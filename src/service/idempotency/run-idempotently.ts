import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../database/ids.ts";
import { isJsonObject } from "../../runtime/text.ts";
import { withTimeout } from "../../runtime/promises.ts";
import type { Scope } from "../database/scope.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import {
  type IdempotencyRecord,
  type IdempotencyStore,
  type StoredRecord,
  type StoredResponse,
  type WriteOutcome,
  noResponseYet,
  readPaymentId,
} from "./idempotency-store.ts";
import { ServiceError } from "../../contract/error.ts";

const retentionMs = 24 * 60 * 60 * 1000;
const defaultTimeoutMs = 5_000;
const pollMs = 100;

export type IdempotentRequest = { key: string; fingerprint: string };

/** The service, as a request with an idempotency key takes it. */
export type IdempotencyService = {
  store: IdempotencyStore;
  clock: Clock;
  /** Whether the store's database is another process, so that each query is a round trip; false by default. */
  isStoreRemote?: boolean | undefined;
  /** How long a request waits for another one with its key; 5 s by default. */
  timeouts?: { keyMs?: number } | undefined;
  inFlight: RequestsInFlight;
};

/** Requests that are being processed now, by scope and idempotency key. */
type RequestsInFlight = Map<string, { fingerprint: string; answer: Promise<unknown> }>;

export function createRequestsInFlight(): RequestsInFlight {
  return new Map();
}

/** The response of a write. Its bytes are the same at every replay. */
export type Response = StoredResponse & { replayed: boolean };

/**
 * Builds the idempotency record of a response; undefined without a key. With `lockedUntilMs` the response is
 * provisional, and the same request waits until then.
 */
export type RecordInput = (
  response: StoredResponse,
  lockedUntilMs?: number,
) => IdempotencyRecord | undefined;

/** The outcome of a write; `response` where it is not the recorded one. */
export type WriteResult =
  | Exclude<WriteOutcome, { outcome: "written" }>
  | { outcome: "written"; response?: StoredResponse };

export type IdempotentWork = (toRecord: RecordInput, isRetry: boolean) => Promise<WriteResult>;

/**
 * Does a write once for each idempotency key (specification: Idempotency). A stored record answers the same request,
 * and refuses another one. A request that is processed refuses nobody, because it may itself be refused: requests with
 * its key wait for its end, up to 5 s, but no longer than until a record answers or refuses them. `work` makes a record
 * of its response, and stores it together with what it writes; `isRetry`: the request came before, and has no response
 * yet. `claimsAtOnce`: a remote database is not asked for the record before, because a key is usually new, and the
 * write refuses one that is not. Such work changes nothing but by its write.
 */
export async function runIdempotently(
  service: IdempotencyService,
  scope: Scope,
  request: IdempotentRequest | undefined,
  work: IdempotentWork,
  { claimsAtOnce = false } = {},
): Promise<Response> {
  if (request) return await runWithKey(service, scope, request, work, claimsAtOnce);
  const response = await runAndStore(work, recordNothing, false);
  if (!response) throw new Error("A write without an idempotency key waits for another.");
  return response;
}

const recordNothing = () => undefined;

async function runWithKey(
  service: IdempotencyService,
  scope: Scope,
  request: IdempotentRequest,
  work: IdempotentWork,
  claimsAtOnce: boolean,
): Promise<Response> {
  const deadlineMs = performance.now() + (service.timeouts?.keyMs ?? defaultTimeoutMs);
  return await runInTurn(service, scope, request, deadlineMs, async (hasWaited) => {
    for (
      let isClaiming = claimsAtOnce && service.isStoreRemote && !hasWaited;
      ;
      isClaiming = false
    ) {
      const nowMs = service.clock();
      const find = async () => service.store.findStoredResponse(scope, request.key, nowMs);
      const stored = isClaiming ? undefined : await find();
      const replay = toReplay(stored, request);
      if (replay) return replay;
      if (stored && stored.lockedUntilMs > nowMs) {
        if (performance.now() > deadlineMs) throw createInUseError();
        await delay(pollMs);
        continue;
      }
      if (stored && stored.response.status !== noResponseYet.status) {
        await service.store.releaseLock(scope, request); // the provisional response is final from now on
        continue;
      }
      const times = { nowMs, expiresAtMs: nowMs + retentionMs };
      const toRecord: RecordInput = (response, lockedUntilMs = 0) => ({
        ...request,
        ...times,
        response,
        lockedUntilMs,
      });
      try {
        const response = await runAndStore(work, toRecord, stored !== undefined);
        if (response) return response;
      } catch (error) {
        // Another replica may have done the same request meanwhile, or this one before, which is why it failed here.
        const other = error instanceof ServiceError ? await find() : undefined;
        const done = toReplay(other, request);
        if (done) return done;
        if (!other || other.response.status === noResponseYet.status) throw error;
      }
    }
  });
}

/**
 * Consumes an idempotency key, for work whose result is not stored, such as a secret; true for the first caller. If
 * the work fails after that, a retry with this key does not repeat it.
 */
export async function consumeIdempotencyKey(
  service: IdempotencyService,
  scope: Scope,
  request: IdempotentRequest,
): Promise<boolean> {
  const { replayed } = await runIdempotently(service, scope, request, async (toRecord) =>
    service.store.storeResponse(scope, toRecord({ status: 204, body: "" })),
  );
  return !replayed;
}

/** Purges expired records; answers how many were deleted. */
export async function purgeIdempotencyRecords(
  service: IdempotencyService,
  signal?: AbortSignal,
): Promise<number> {
  return await repeatWhileFull(async () => purgeSomeIdempotencyRecords(service), signal);
}

/** Purges one batch, which is too short to slow a command down. */
export async function purgeSomeIdempotencyRecords({
  store,
  clock,
}: IdempotencyService): Promise<number> {
  return await store.purgeIdempotencyRecords(clock(), batchSize);
}

/** Returns the response of the work, or the stored one; undefined while another replica processes the same request. */
async function runAndStore(
  work: IdempotentWork,
  toRecord: RecordInput,
  isRetry: boolean,
): Promise<Response | undefined> {
  let recorded: StoredResponse | undefined;
  const written = await work((response, lockedUntilMs) => {
    recorded = response;
    return toRecord(response, lockedUntilMs);
  }, isRetry);
  switch (written.outcome) {
    case "written": {
      const response = written.response ?? recorded;
      if (!response) throw new Error("A write made no response.");
      return { ...response, replayed: false };
    }
    case "replayed":
      return { ...written.response, replayed: true };
    case "in_progress":
      return undefined;
    case "mismatch":
      throw mismatchError(written.response);
    default:
      return written satisfies never;
  }
}

/**
 * The stored response of the same request; undefined while it is not final, or there is no record. A record of another
 * request refuses this one.
 */
function toReplay(
  stored: StoredRecord | undefined,
  { fingerprint }: IdempotentRequest,
): Response | undefined {
  if (!stored) return undefined;
  if (stored.fingerprint !== fingerprint) throw mismatchError(stored.response);
  const isFinal = stored.lockedUntilMs === 0 && stored.response.status !== noResponseYet.status;
  return isFinal ? { ...stored.response, replayed: true } : undefined;
}

/**
 * Runs `work` once no request with the same key runs in this process; `hasWaited` where one did. A request that
 * differs from the running one looks for the record meanwhile, because a call of the network takes long, and is recorded
 * before. So does one whose time is up.
 */
async function runInTurn(
  { inFlight, store, clock }: IdempotencyService,
  scope: Scope,
  request: IdempotentRequest,
  deadlineMs: number,
  work: (hasWaited: boolean) => Promise<Response>,
): Promise<Response> {
  const { key, fingerprint } = request;
  let hasWaited = false;
  const flight = `${scope.accountId} ${scope.livemode} ${key}`;
  for (let running = inFlight.get(flight); running; running = inFlight.get(flight)) {
    const ended = running.answer.then(
      () => true,
      () => true,
    );
    const isSame = running.fingerprint === fingerprint;
    const leftMs = deadlineMs - performance.now();
    const looks = !isSame || leftMs <= 0;
    const stored = looks ? await store.findStoredResponse(scope, key, clock()) : undefined;
    const replay = toReplay(stored, request);
    if (replay) return replay;
    if (leftMs <= 0) throw createInUseError();
    await withTimeout(ended, isSame ? leftMs : Math.min(leftMs, pollMs), () => false);
    hasWaited = true;
  }
  const answer = work(hasWaited);
  inFlight.set(flight, { fingerprint, answer });
  try {
    return await answer;
  } finally {
    inFlight.delete(flight);
  }
}

/**
 * A keyed hash of a request: method, path, and body with its keys sorted. Of the card it holds neither
 * the security code nor more of the number than its first six and last four digits: with the hash
 * and its key the rest could be found by trying, and a database and its backups hold both.
 */
export function computeFingerprint(
  secret: string,
  request: { method: string; path: string; body: unknown },
): string {
  return createHmac("sha256", secret)
    .update(
      `${request.method}\n${request.path}\n${toCanonicalJson(redactCard(request.body ?? {}))}`,
    )
    .digest("base64url");
}

/** A body without the security code of its card, and the number by its ends alone. */
function redactCard(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body["card"])) return body;
  const { cvc: _, number, ...card } = body["card"];
  const masked = typeof number === "string" ? `${number.slice(0, 6)}…${number.slice(-4)}` : number;
  return { ...body, card: { ...card, number: masked } };
}

/** JSON with the keys of every object sorted. */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`).join()}}`;
}

/** Names the payment of the request that has the key, for the log of requests. */
function mismatchError(first: StoredResponse): ServiceError {
  const error = new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request, or the same request again.",
  );
  error.paymentId = readPaymentId(first);
  return error;
}

export function createInUseError(): ServiceError {
  return new ServiceError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still being processed. Send it again later, with the same key.",
  );
}
