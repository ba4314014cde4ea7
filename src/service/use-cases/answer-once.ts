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

/**
 * Does a write once for each idempotency key (specification: Idempotency). While the first request
 * with a key is processed the others wait for its answer, up to 5 s. `work` gets what it has to
 * store together with what it writes: the key's claim, made into a record for its answer.
 */
export async function answerOnce(
  ports: Ports,
  scope: Scope,
  request: IdempotentRequest | undefined,
  work: (
    recordOf: (answer: KeptAnswer) => IdempotencyRecord | undefined,
  ) => Promise<{ written: WriteOutcome; answer: KeptAnswer }>,
): Promise<Answer> {
  if (!request) {
    const { answer } = await work(() => undefined);
    return { ...answer, replayed: false };
  }
  const flight = `${scope.accountId} ${scope.livemode} ${request.key}`;
  return await alone(ports.inFlight, flight, async () => {
    const nowMs = ports.clock();
    const find = async () => ports.store.findAnswer(scope, request.key, nowMs);
    const kept = await find();
    if (kept) return replay(request, kept.fingerprint, kept.answer);
    try {
      return answered(
        await work((answer) => ({ ...request, answer, nowMs, expiresAtMs: nowMs + lifetimeMs })),
      );
    } catch (error) {
      // Another process may have done this very request meanwhile, and so made it impossible here.
      const done = error instanceof ServiceError ? await find() : undefined;
      if (!done) throw error;
      return replay(request, done.fingerprint, done.answer);
    }
  });
}

/**
 * A keyed hash of a request: method, path, and body with its keys sorted and without the card's
 * security code. Keyed, because a plain hash of a card number can be turned back by trying them all.
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
    .filter((key) => !(path === "/card" && key === "cvc"))
    .map((key) => `${JSON.stringify(key)}:${canonical(pairs[key], `${path}/${key}`)}`)
    .join()}}`;
}

function answered({ written, answer }: { written: WriteOutcome; answer: KeptAnswer }): Answer {
  switch (written.outcome) {
    case "written":
      return { ...answer, replayed: false };
    case "replayed":
      return { ...written.answer, replayed: true };
    case "reused":
      throw reused();
    default:
      return written satisfies never;
  }
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
