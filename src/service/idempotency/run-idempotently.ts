import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isJsonObject } from "../../runtime/json.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import {
  noResponseYet,
  type IdempotencyRecord,
  type StoredResponse,
  type Scope,
  type WriteOutcome,
} from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

const lifetimeMs = 24 * 60 * 60 * 1000;
const usualPatienceMs = 5_000;
/** How often a request looks whether another replica has answered it. */
const lookAgainMs = 100;

/** An idempotency key, and what tells its request from another one. */
export type IdempotentRequest = { key: string; fingerprint: string };

/** What a write answers: the bytes of a body, made once and the same at every replay. */
export type Response = StoredResponse & { replayed: boolean };

/**
 * What a write is to answer, made into the record that is written with it; undefined without a key. With
 * `lockedUntilMs` it is kept as what is answered if nothing more comes, and others wait for that.
 */
export type RecordInput = (
  answer: StoredResponse,
  lockedUntilMs?: number,
) => IdempotencyRecord | undefined;

/** What a write did, and what it answers where that is not what its record said. */
export type WriteResult =
  | Exclude<WriteOutcome, { outcome: "written" }>
  | { outcome: "written"; response?: StoredResponse };

/**
 * Does a write once for each idempotency key (specification: Idempotency). While the first request
 * with a key is processed, on any replica, the same request waits for its answer, up to 5 s, and another
 * request is refused at once. `work` makes a record
 * of its answer, and stores it together with what it writes; `isRetry`: the request came before, and was
 * not answered.
 */
export async function runIdempotently(
  ports: Ports,
  scope: Scope,
  request: IdempotentRequest | undefined,
  work: (recordOf: RecordInput, isRetry: boolean) => Promise<WriteResult>,
): Promise<Response> {
  if (!request) {
    const answer = await done(work, () => undefined, false);
    if (answer === "in_progress")
      throw new Error("A write without an idempotency key waits for another.");
    return answer;
  }
  const patienceMs = ports.timeouts?.keyMs ?? usualPatienceMs;
  const deadlineMs = performance.now() + patienceMs;
  const flight = `${scope.accountId} ${scope.livemode} ${request.key}`;
  return await alone(ports.inFlight, { ...request, key: flight }, deadlineMs, async () => {
    for (;;) {
      const nowMs = ports.clock();
      const find = async () => ports.store.findStoredResponse(scope, request.key, nowMs);
      const kept = await find();
      if (kept && kept.fingerprint !== request.fingerprint) throw reused();
      if (kept && kept.lockedUntilMs > nowMs) {
        if (performance.now() > deadlineMs) throw inUse();
        await delay(lookAgainMs);
        continue;
      }
      if (kept && kept.response.status !== noResponseYet.status) {
        if (kept.lockedUntilMs === 0) return replayed(kept.response);
        await ports.store.releaseLock(scope, request); // from now on this is its answer, whatever comes
        continue;
      }
      const expiresAtMs = nowMs + lifetimeMs;
      const isRetry = kept !== undefined;
      const recordOf: RecordInput = (answer, lockedUntilMs = 0) => ({
        ...request,
        response: answer,
        lockedUntilMs,
        nowMs,
        expiresAtMs,
      });
      try {
        const answer = await done(work, recordOf, isRetry);
        if (answer !== "in_progress") return answer;
      } catch (error) {
        // Another process may have done this very request meanwhile, and so made it impossible here.
        const others = error instanceof ServiceError ? await find() : undefined;
        if (!others || others.response.status === noResponseYet.status) throw error;
        if (others.fingerprint !== request.fingerprint) throw reused();
        if (others.lockedUntilMs === 0) return replayed(others.response);
      }
    }
  });
}

/**
 * Uses up an idempotency key, for work whose answer is kept nowhere, such as a secret; true for whoever comes
 * first. Where the work fails after that, it is not done under this key.
 */
export async function consumeIdempotencyKey(
  ports: Ports,
  scope: Scope,
  request: IdempotentRequest,
): Promise<boolean> {
  const { replayed: isRetry } = await runIdempotently(ports, scope, request, async (recordOf) =>
    ports.store.storeResponse(scope, recordOf({ status: 204, body: "" })),
  );
  return !isRetry;
}

/** Does the work, and answers what its record says, or what an earlier request was answered. */
async function done(
  work: (recordOf: RecordInput, isRetry: boolean) => Promise<WriteResult>,
  recordOf: RecordInput,
  isRetry: boolean,
): Promise<Response | "in_progress"> {
  let recorded: StoredResponse | undefined;
  const written = await work((made, lockedUntilMs) => {
    recorded = made;
    return recordOf(made, lockedUntilMs);
  }, isRetry);
  switch (written.outcome) {
    case "written": {
      const answer = written.response ?? recorded;
      if (!answer) throw new Error("Something was written that has no answer.");
      return { ...answer, replayed: false };
    }
    case "replayed":
      return replayed(written.response);
    case "in_progress":
      return "in_progress";
    case "mismatch":
      throw reused();
    default:
      return written satisfies never;
  }
}

function replayed(answer: StoredResponse): Response {
  return { ...answer, replayed: true };
}

/**
 * A keyed hash of a request: method, path, and body with its keys sorted. Of the card it holds neither
 * the security code nor more of the number than its first six and last four digits: whoever has the
 * hash and its key could find the rest by trying, and a database and its backups have both.
 */
export function computeFingerprint(
  secret: string,
  request: { method: string; path: string; body: unknown },
): string {
  return createHmac("sha256", secret)
    .update(`${request.method}\n${request.path}\n${canonical(shown(request.body ?? {}))}`)
    .digest("base64url");
}

/** A body without the security code of its card, and the number by its ends alone. */
function shown(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body["card"])) return body;
  const { cvc: _, number, ...card } = body["card"];
  const ends = typeof number === "string" ? `${number.slice(0, 6)}…${number.slice(-4)}` : number;
  return { ...body, card: { ...card, number: ends } };
}

/** JSON with the keys of every object sorted. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

function reused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request, or the same request again.",
  );
}

function inUse(): ServiceError {
  return new ServiceError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still being processed. Send it again later, with the same key.",
  );
}

/**
 * Runs `work` once no request with the same key runs in this process. A request that differs from the running
 * one is refused at once: whatever the running one comes to, the key is not this request's.
 */
async function alone<T>(
  inFlight: Ports["inFlight"],
  request: IdempotentRequest,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  for (let running = inFlight.get(request.key); running; running = inFlight.get(request.key)) {
    if (running.fingerprint !== request.fingerprint) throw reused();
    const leftMs = deadlineMs - performance.now();
    const hasEnded = running.answer.then(isOver, isOver);
    if (leftMs <= 0 || !(await withTimeout(hasEnded, leftMs, () => false))) {
      throw inUse();
    }
  }
  const answer = work();
  inFlight.set(request.key, { fingerprint: request.fingerprint, answer });
  try {
    return await answer;
  } finally {
    inFlight.delete(request.key);
  }
}

const isOver = () => true;
