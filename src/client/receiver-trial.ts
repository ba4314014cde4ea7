import { type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fillTestCard } from "../contract/card.ts";
import type { Event } from "../contract/event.ts";
import { mask } from "../contract/mask.ts";
import { signalGroup } from "../runtime/child-programs.ts";
import { ConfigError } from "../runtime/failures.ts";
import { describeFailure, dispatch, poolOptions } from "../runtime/http-transport.ts";
import { signWebhook } from "../runtime/sign-webhook.ts";
import { escapeControls } from "../runtime/text.ts";
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

/** An address, a shell command, or a function. */
export type Effect = string | (() => number | Promise<number>);

const maxReadMs = 5_000;
const betweenMs = 50;
/** The limit of what is read of a command's output or an address's body, and of what is shown of that. */
const maxOutput = 4_096;
const maxShown = 80;

/**
 * Opens what counts the receiver's effects. Errors: a `ReceiverError` where nobody answers, a `ConfigError` where there
 * is no integer.
 */
export async function openEffect(
  effect: Effect,
  {
    stillMs = 1_000,
    effectMs = 5_000,
    maxUnsettledMs = 30_000,
    signal,
  }: {
    stillMs?: number | undefined;
    effectMs?: number | undefined;
    /** How long it may go on rising, where something else changes it. */
    maxUnsettledMs?: number | undefined;
    signal?: AbortSignal | undefined;
  },
) {
  let settled = await readEffect(effect, signal);
  return {
    /**
     * Waits until the effect has risen by `rise`, for 5 s at most, and has then held still for a second. Returns by
     * how much it has risen since it held still the last time. Error: a `ConfigError` where it never holds still.
     */
    settle: async (rise: number): Promise<number> => {
      const startedMs = performance.now();
      let [count, changedMs] = [settled, startedMs];
      for (;;) {
        const nowMs = performance.now();
        const isDue = count - settled >= rise || nowMs - startedMs >= effectMs;
        if (isDue && nowMs - changedMs >= stillMs) break;
        if (nowMs - startedMs > maxUnsettledMs) {
          throw new ConfigError(
            `The effect has not held still within ${maxUnsettledMs / 1000} s.`,
            "Something else changes it: give a count of what the receiver does because of these events alone.",
          );
        }
        await delay(betweenMs);
        const read = await readEffect(effect, signal);
        if (read !== count) [count, changedMs] = [read, performance.now()];
      }
      const risen = count - settled;
      settled = count;
      return risen;
    },
  };
}

async function readEffect(effect: Effect, signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted();
  const said = await (typeof effect === "function"
    ? effect()
    : /^https?:\/\//i.test(effect)
      ? readAddress(effect, signal)
      : readCommand(effect, signal));
  const count =
    typeof said === "number" ? said : Number(/^\s*(\d+)(?!\S)/.exec(said)?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(count)) return count;
  const was = [...escapeControls(mask(String(said)).trim())].slice(0, maxShown).join("");
  throw new ConfigError(
    "The effect is no integer.",
    `It was “${was}”. It counts what the receiver has done: an address whose body is, or a command whose output begins with, an integer.`,
  );
}

async function readAddress(address: string, signal?: AbortSignal): Promise<string> {
  const { connectDirectly } = await import("../runtime/direct.ts");
  const url = new URL(address);
  const pool = connectDirectly(url, { ...poolOptions, connectTimeout: maxReadMs });
  const request = { method: "GET", path: url.pathname + url.search } as const;
  const limits = { timeoutMs: maxReadMs, maxResponseBytes: maxOutput, signal };
  try {
    const { status, body } = await dispatch(pool, request, limits);
    if (status < 200 || status >= 300) return `status ${status}`;
    return /^\s*\d+\s*$/.test(body) ? body : `body: ${body}`;
  } catch (error) {
    signal?.throwIfAborted();
    const failure = describeFailure(error);
    throw new ReceiverError(`Nobody answers at the effect's address: ${failure}.`, error);
  } finally {
    await pool.destroy();
  }
}

/**
 * A command that finds nothing may count 0 and end with another exit code, as grep does. It has a group of its own: Ctrl-C
 * reaches this process alone, and what the command has started ends with it.
 */
async function readCommand(command: string, signal?: AbortSignal): Promise<string> {
  const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
  const child = spawn("sh", ["-c", command], { detached: true, stdio });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      said[stream] = (said[stream] + text).slice(0, maxOutput);
    });
  }
  let isLate = false;
  const kill = () => child.pid !== undefined && signalGroup(child.pid, "SIGKILL");
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, maxReadMs);
  signal?.addEventListener("abort", kill);
  try {
    await once(child, "close");
  } catch (error) {
    said.stderr = describeFailure(error); // there is no shell
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
  }
  signal?.throwIfAborted();
  if (said.stdout.trim() !== "") return said.stdout;
  if (!isLate) return said.stderr === "" ? "nothing" : `nothing; ${said.stderr}`;
  const message = `The effect's command did not end within ${maxReadMs / 1000} s.`;
  throw new ReceiverError(message, undefined);
}
