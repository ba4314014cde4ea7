import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fillTestCard } from "../contract/card.ts";
import type { Event } from "../contract/event.ts";
import { describeFailure, dispatch, poolOptions } from "../runtime/dispatch.ts";
import { ConfigError } from "../runtime/failures.ts";
import { signWebhook } from "../runtime/sign-webhook.ts";
import type { PaymentsClient } from "./client.ts";
import { ReceiverError } from "./errors.ts";
import type { Answer, Sending, Trial } from "./receiver-promises.ts";

type ReceiverOptions = {
  secret: string;
  metadata?: Record<string, string> | undefined;
  signAt?: "service" | "wall" | undefined;
  signal?: AbortSignal | undefined;
  answerMs: number;
  retryMs: number;
  version: string;
};

const maxConnectMs = 10_000;
const maxResponseBytes = 64 * 1024;

/** How far the time of a webhook may be from the receiver's. */
const toleranceMs = 5 * 60_000;

/**
 * The way to the receiver, and the payments for it. `answers`: all responses that were waited for. `isOutOfTime`: what
 * was sent is stale, or of the future, by this machine's clock.
 */
export async function openReceiver(
  client: PaymentsClient,
  url: URL,
  { secret, metadata, signAt, signal, answerMs, retryMs, version }: ReceiverOptions,
) {
  const { connectDirectly } = await import("../runtime/direct.ts");
  const connectTimeout = Math.min(answerMs, maxConnectMs);
  const pool = connectDirectly(url, { ...poolOptions, connectTimeout, pipelining: 0 });
  const answers: Answer[] = [];
  const known = secret.trim();
  let isReached = false;
  let isOutOfTime = false;

  const sign = (event: Event, { body, ...sending }: Sending) => {
    const {
      secrets = [known],
      shiftSeconds = 0,
      signedBody = body ?? JSON.stringify(event),
    } = sending;
    // The event has just happened: its time is the service's.
    const signingMs = signAt === "wall" ? Date.now() : event.created * 1000;
    isOutOfTime = Math.abs(signingMs - Date.now()) > toleranceMs;
    const nowMs = signingMs + shiftSeconds * 1000;
    const signed = { eventId: event.id, body: signedBody, secrets, nowMs, version };
    const { "webhook-signature": signature, ...headers } = signWebhook(signed);
    return {
      method: "POST" as const,
      path: url.pathname + url.search,
      headers: { ...headers, ...(signature && { "webhook-signature": signature }) },
      body: body ?? signedBody,
    };
  };
  const trial: Trial = {
    ...createPayments(client, metadata, signal),
    secret: known,
    otherSecret: `whsec_${randomBytes(32).toString("base64")}`,
    send: async (event, sending = {}) => {
      const startedMs = performance.now();
      let isSent = false;
      const limits = {
        timeoutMs: answerMs,
        maxResponseBytes,
        signal,
        onSending: () => (isSent = true),
      };
      const answer = await dispatch(pool, sign(event, sending), limits).then(
        ({ status }) => ({ status }),
        (error: unknown) => {
          signal?.throwIfAborted();
          const failure = describeFailure(error);
          if (isSent || isReached) return { status: null, failure };
          throw new ReceiverError(`Nobody answers at ${url.origin}: ${failure}.`, error);
        },
      );
      isReached = true;
      const tookMs = Math.round(performance.now() - startedMs);
      answers.push({ ...answer, tookMs });
      return { ...answer, tookMs };
    },
    sendAndCut: async (event) => {
      const cutting = new AbortController();
      // The request is written in the turn in which it begins.
      const onSending = () => setImmediate(() => cutting.abort());
      const limits = { timeoutMs: answerMs, maxResponseBytes, signal: cutting.signal, onSending };
      await dispatch(pool, sign(event, {}), limits).catch(() => {});
      await delay(retryMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    },
  };
  return { trial, answers, isOutOfTime: () => isOutOfTime, close: async () => pool.destroy() };
}

const maxMetadataKeys = 50;

/** The payments of a check. Each has a number of its own, in other runs, too: a shop does an order once. */
function createPayments(
  { payments, events }: PaymentsClient,
  metadata: Record<string, string> = { order: "check-${n}" },
  signal?: AbortSignal,
): Pick<Trial, "pay" | "refund"> {
  let number = Date.now();
  const findEvent = async (payment: string, type: Event["type"]) => {
    const { data } = await events.list({ payment, type }, { signal });
    const [event] = data;
    if (event) return event;
    throw new ConfigError(
      `The test payment ${payment} has no event of type ${type}: the receiver cannot be checked with it.`,
    );
  };
  return {
    pay: async ({ description = "payments webhooks check", fillsMetadata = false } = {}) => {
      number++;
      const own = Object.entries(metadata).map(([key, value]) => {
        return [key, value.replaceAll("${n}", String(number))] as const;
      });
      const filled = Array.from(
        { length: fillsMetadata ? maxMetadataKeys - own.length : 0 },
        (_, i) => {
          return [`check_${i}_`.padEnd(40, "k"), "v".repeat(500)] as const;
        },
      );
      const card = fillTestCard("visa");
      if (!card) throw new TypeError("There is no test card.");
      const body = { amount: 4999, currency: "eur" as const, card, description };
      const created = await payments.create(
        { ...body, metadata: Object.fromEntries([...own, ...filled]) },
        { signal },
      );
      const { id } = await payments.settled(created, undefined, { signal });
      return await findEvent(id, "payment.succeeded");
    },
    refund: async ({ data }) => {
      const { id } = await payments.refund(data.object.id, { signal });
      return await findEvent(id, "payment.refunded");
    },
  };
}
