import { createHmac } from "node:crypto";
import { within } from "../../contract/time-limit.ts";
import type { IdempotencyRecord, KeptAnswer, Ports, Scope, WriteOutcome } from "./ports.ts";
import { ServiceError } from "./service-error.ts";

const lifetimeMs = 24 * 60 * 60 * 1000;
const patienceMs = 5_000;

/** An idempotency key, and what tells its request from another one. */
export type IdempotentRequest = { key: string; fingerprint: string };

/** What a write answers: the bytes of a body, made once and the same at every replay. */
export type Answer = KeptAnswer & { replayed: boolean };

/** What a write is to answer, made into the record that is written with it; undefined without a key. */
export type RecordOf = (answer: KeptAnswer) => IdempotencyRecord | undefined;

/**
 * Does a write once for each idempotency key (specification: Idempotency). While the first request
 * with a key is processed the others wait for its answer, up to 5 s. `work` makes a record of its
 * answer, and stores it together with what it writes.
 */
export async function answerOnce(
  ports: Ports,
  scope: Scope,
  request: IdempotentRequest | undefined,
  work: (recordOf: RecordOf) => Promise<WriteOutcome>,
): Promise<Answer> {
  if (!request) return await done(work, () => undefined);
  const flight = `${scope.accountId} ${scope.livemode} ${request.key}`;
  return await alone(ports.inFlight, flight, async () => {
    const nowMs = ports.clock();
    const find = async () => ports.store.findAnswer(scope, request.key, nowMs);
    const kept = await find();
    if (kept) return replay(request, kept.fingerprint, kept.answer);
    try {
      const expiresAtMs = nowMs + lifetimeMs;
      return await done(work, (answer) => ({ ...request, answer, nowMs, expiresAtMs }));
    } catch (error) {
      // Another process may have done this very request meanwhile, and so made it impossible here.
      const others = error instanceof ServiceError ? await find() : undefined;
      if (!others) throw error;
      return replay(request, others.fingerprint, others.answer);
    }
  });
}

/** Does the work, and answers what its record says, or what an earlier request was answered. */
async function done(
  work: (recordOf: RecordOf) => Promise<WriteOutcome>,
  recordOf: RecordOf,
): Promise<Answer> {
  let answer: KeptAnswer | undefined;
  const written = await work((made) => {
    answer = made;
    return recordOf(made);
  });
  switch (written.outcome) {
    case "written":
      if (!answer) throw new Error("Something was written that has no answer.");
      return { ...answer, replayed: false };
    case "replayed":
      return { ...written.answer, replayed: true };
    case "reused":
      throw reused();
    default:
      return written satisfies never;
  }
}

/**
 * A keyed hash of a request: method, path, and body with its keys sorted. Of the card it holds neither
 * the security code nor more of the number than its first six and last four digits: whoever has the
 * hash and its key could find the rest by trying, and a database and its backups have both.
 */
export function fingerprint(
  secret: string,
  request: { method: string; path: string; body: unknown },
): string {
  return createHmac("sha256", secret)
    .update(`${request.method}\n${request.path}\n${canonical(request.body ?? {}, "")}`)
    .digest("base64url");
}

function canonical(value: unknown, path: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, path)).join()}]`;
  const pairs = value as Record<string, unknown>;
  const keys = Object.keys(pairs).toSorted();
  return `{${keys
    .filter((key) => `${path}/${key}` !== "/card/cvc")
    .map((key) => {
      const at = `${path}/${key}`;
      return `${JSON.stringify(key)}:${canonical(shown(pairs[key], at), at)}`;
    })
    .join()}}`;
}

/** A card's number by its ends alone; anything else as it is. */
function shown(value: unknown, path: string): unknown {
  if (path !== "/card/number" || typeof value !== "string") return value;
  return `${value.slice(0, 6)}…${value.slice(-4)}`;
}

function replay(request: IdempotentRequest, keptFingerprint: string, answer: KeptAnswer): Answer {
  if (keptFingerprint !== request.fingerprint) throw reused();
  return { ...answer, replayed: true };
}

function reused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request, or the same request again.",
  );
}

/** Runs `work` once nothing else runs under the same name in this process. */
async function alone<T>(
  inFlight: Ports["inFlight"],
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const deadlineMs = performance.now() + patienceMs;
  for (let running = inFlight.get(name); running; running = inFlight.get(name)) {
    const leftMs = deadlineMs - performance.now();
    const hasEnded = running.then(isOver, isOver);
    if (leftMs <= 0 || !(await within(hasEnded, leftMs, () => false))) {
      throw new ServiceError(
        "idempotency_key_in_use",
        "The first request with this Idempotency-Key is still being processed. Send it again later, with the same key.",
      );
    }
  }
  const running = work();
  inFlight.set(name, running);
  try {
    return await running;
  } finally {
    inFlight.delete(name);
  }
}

const isOver = () => true;
