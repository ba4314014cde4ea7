import { execForwarding, webhookSecretPattern } from "../contract/field-values.ts";
import { ConfigError } from "../runtime/failures.ts";
import {
  checkOptions,
  hasMethods,
  isHttpUrl,
  isText,
  optional,
  required,
  type OptionRules,
} from "../runtime/options.ts";
import { isJsonObject } from "../runtime/text.ts";
import { PaymentsClient } from "./client.ts";
import { type Effect, openEffect, openReceiver } from "./receiver-trial.ts";
import {
  type Answer,
  type ReceiverPromise,
  type ReceiverPromiseName,
  receiverPromiseNames,
  receiverPromises,
  timePromise,
} from "./receiver-promises.ts";

/**
 * How a promise came out. `not_seen`: nobody could tell, as without an effect that is counted, or it was skipped.
 * `status` and `duration_ms` are those of the slowest response; null where there was none. `detail` is empty where
 * there is nothing to say.
 */
export type PromiseResult = {
  name: ReceiverPromiseName;
  result: "ok" | "failed" | "not_seen" | "warning";
  status: number | null;
  duration_ms: number | null;
  detail: string;
};

export type ReceiverCheck = {
  object: "receiver_check";
  url: string;
  failed: number;
  promises: PromiseResult[];
};

export type CheckReceiverOptions = {
  /**
   * Creates the test payments whose events are sent. By default one of `PAYMENTS_BASE_URL` and `PAYMENTS_API_KEY`.
   */
  client?: PaymentsClient | undefined;
  /** The address at which the receiver takes webhooks. */
  url: string;
  /** The secret that the receiver verifies with, `whsec_…`. */
  secret: string;
  /**
   * Counts what the receiver has done: a function, an address whose body is, or a shell command whose output begins
   * with, an integer that rises by one for each new event. Without it nobody sees whether an event has its effect
   * once.
   */
  effect?: Effect | undefined;
  /** The payments' metadata; `${n}` is another number for each. By default `{ order: "check-${n}" }`. */
  metadata?: Record<string, string> | undefined;
  /** Checks these promises alone. */
  only?: readonly ReceiverPromiseName[] | undefined;
  /** Checks all but these. */
  skip?: readonly ReceiverPromiseName[] | undefined;
  /** `wall`: signs at this machine's time, as a sandbox does that signs so. By default at the service's. */
  signAt?: "service" | "wall" | undefined;
};

/** The means of the command, and limits that tests shorten. */
type Running = {
  signal?: AbortSignal | undefined;
  /** Called with each result as soon as there is one. */
  onResult?: (result: PromiseResult) => void | Promise<void>;
  /** How long the receiver's effect has to hold still, and how long it is waited for. */
  stillMs?: number;
  effectMs?: number;
  maxUnsettledMs?: number;
  answerMs?: number;
  /** How long an event waits before it is sent again, after its answer was lost. */
  retryMs?: number;
  version?: string;
};

const isPromiseName = (value: unknown) =>
  Array.isArray(value) && value.every((name) => receiverPromiseNames.includes(name as never));
const promiseNames = `a list of these names: ${receiverPromiseNames.join(", ")}`;

const checkReceiverOptions: OptionRules<CheckReceiverOptions> = {
  client: optional((client) => hasMethods(client, "close"), "a PaymentsClient"),
  url: required(isHttpUrl, "an http or https address, such as http://127.0.0.1:3000/hooks"),
  secret: required(
    (secret) => isText(secret) && webhookSecretPattern.test(secret.trim()),
    "the receiver's secret, whole, from whsec_ on",
  ),
  effect: optional(
    (effect) => typeof effect === "function" || (isText(effect) && effect.trim() !== ""),
    "an address, a shell command or a function",
  ),
  metadata: optional(isJsonObject, "an object, such as { order: 'check-${n}' }"),
  only: optional(isPromiseName, promiseNames),
  skip: optional(isPromiseName, promiseNames),
  signAt: optional((at) => at === "service" || at === "wall", "service or wall"),
};

/**
 * Grades a merchant's receiver of webhooks: whether it takes what it must, refuses what it must, and does each thing
 * once. The events are of real test payments, which are created for it; nothing is sent in live mode. Errors: a
 * `TypeError` for a wrong option, a `ConfigError` where the check could not tell anything, a `ReceiverError` where nobody
 * responds, and what the client throws.
 */
export async function checkWebhookReceiver(options: CheckReceiverOptions): Promise<ReceiverCheck> {
  return await runReceiverCheck(options);
}

/** The same, for the command: `running.signal` ends it. */
export async function runReceiverCheck(
  options: CheckReceiverOptions,
  running: Running = {},
): Promise<ReceiverCheck> {
  checkOptions(options, checkReceiverOptions, "checkWebhookReceiver");
  const { client = openClient(), url } = options;
  try {
    await assertUncounted(client, url, running.signal);
    const promises = await checkPromises(client, options, running);
    const failed = promises.filter(({ result }) => result === "failed").length;
    return { object: "receiver_check", url, failed, promises };
  } finally {
    if (!options.client) await client.close();
  }
}

function openClient(): PaymentsClient {
  const { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_API_KEY: apiKey } = process.env;
  if (baseUrl && apiKey) return new PaymentsClient({ baseUrl, apiKey });
  const missing = baseUrl ? "PAYMENTS_API_KEY" : "PAYMENTS_BASE_URL";
  throw new TypeError(`checkWebhookReceiver needs a client, or ${missing} in the environment.`);
}

/** Refuses live mode, and a receiver that the service sends the same events: their effects would be counted. */
async function assertUncounted(
  { account, webhookEndpoints }: PaymentsClient,
  url: string,
  signal?: AbortSignal,
): Promise<void> {
  const { livemode } = await account.retrieve({ signal });
  if (livemode) throw new ConfigError("The check makes test payments. Give it a test key.");
  const { data } = await webhookEndpoints.list({ limit: 100 }, { signal });
  if (data.some(({ url: to, description }) => to === null && description === execForwarding)) {
    throw new ConfigError(
      "payments sandbox exec --forward-to sends the same events, whose effects would be counted. Nothing was sent.",
      "Check the receiver in a sandbox without --forward-to: payments sandbox exec -- COMMAND",
    );
  }
  const same = data.find(
    (endpoint) => endpoint.status === "enabled" && toAddress(endpoint.url ?? "") === toAddress(url),
  );
  if (!same) return;
  throw new ConfigError(
    `The webhook endpoint ${same.id} sends this address the same events, whose effects would be counted. Nothing was sent.`,
    `Disable it for the check: payments webhooks disable ${same.id}`,
  );
}

/** The part of a URL that a request is sent to: without the fragment. */
function toAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed ? parsed.origin + parsed.pathname + parsed.search : undefined;
}

async function checkPromises(
  client: PaymentsClient,
  { url, effect, only = receiverPromiseNames, skip = [], ...options }: CheckReceiverOptions,
  {
    signal,
    onResult,
    answerMs = 15_000,
    retryMs = 1_000,
    stillMs,
    effectMs,
    maxUnsettledMs,
    version = "check",
  }: Running,
): Promise<PromiseResult[]> {
  const isChosen = (name: ReceiverPromiseName) => only.includes(name) && !skip.includes(name);
  if (!receiverPromiseNames.some(isChosen)) {
    throw new ConfigError("What is to be checked is to be skipped, too. Nothing was sent.");
  }
  const counter =
    effect === undefined
      ? undefined
      : await openEffect(effect, { stillMs, effectMs, maxUnsettledMs, signal });
  const receiver = await openReceiver(client, new URL(url), {
    ...options,
    signal,
    answerMs,
    retryMs,
    version,
  });
  const results: PromiseResult[] = [];
  const add = async (result: PromiseResult) => {
    results.push(result);
    await onResult?.(result);
  };
  try {
    await counter?.settle(0);
    let isSkipped = false;
    for (const promise of receiverPromises.filter(({ name }) => isChosen(name))) {
      signal?.throwIfAborted();
      if (isSkipped) {
        await add(skipped(promise.name));
        continue;
      }
      const result = await checkPromise(promise, receiver, counter);
      isSkipped = promise.name === "accepts-event" && isProbablyAnotherSecret(result, answerMs);
      const cause = receiver.isOutOfTime() ? movedClock : anotherSecret;
      await add(isSkipped ? { ...result, detail: `${result.detail}; ${cause}` } : result);
    }
    const { name } = timePromise;
    if (isChosen(name))
      await add(isSkipped ? skipped(name) : judgeTime(receiver.answers, answerMs));
    return results;
  } finally {
    await receiver.close();
  }
}

type Counter = Awaited<ReturnType<typeof openEffect>>;
type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** Sends what a promise is about, and judges the responses and the effect. */
async function checkPromise(
  promise: ReceiverPromise & { name: ReceiverPromiseName },
  { trial }: Receiver,
  counter: Counter | undefined,
): Promise<PromiseResult> {
  const { name, check, isAccepted, effect, judges } = promise;
  const answers = await check(trial);
  const rise = await counter?.settle(effect);
  const wrong = answers.find(({ status }) => isSuccess(status) !== isAccepted);
  const shown = wrong ?? answers.toSorted((one, other) => other.tookMs - one.tookMs)[0];
  const conclude = (result: PromiseResult["result"], detail = ""): PromiseResult => {
    const help = result === "failed" ? toHelp(promise) : "";
    const { status = null, tookMs = null } = shown ?? {};
    return { name, result, status, duration_ms: tookMs, detail: detail + help };
  };
  if (wrong) return conclude("failed", describeWrong(wrong));
  if (!judges || rise === effect) return conclude("ok");
  if (rise === undefined) {
    return isAccepted ? conclude("not_seen", "accepted; effect not seen") : conclude("ok");
  }
  if (judges === "most" && rise === 0) return conclude("not_seen", "no effect at all");
  return conclude("failed", `${rise} ${rise === 1 ? "effect" : "effects"} instead of ${effect}`);
}

function describeWrong({ status, failure }: Answer): string {
  if (status === null) return String(failure);
  const isRedirect = status >= 300 && status < 400;
  return `answered ${status}${isRedirect ? ": redirects are not followed" : ""}`;
}

function toHelp({ section }: Pick<ReceiverPromise, "section">): string {
  return `; see docs/webhooks.md#${section}`;
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

const anotherSecret =
  "it probably verifies with another secret: payments listen --print-secret prints the listener's, webhooks create and roll an endpoint's";

const movedClock =
  "the sandbox's clock was moved: sign at the real time with --sign-at wall, or give the receiver the sandbox's time";

/** What follows would say nothing about a receiver whose secret is another one. */
function isProbablyAnotherSecret(
  { result, status, duration_ms: durationMs }: PromiseResult,
  answerMs: number,
): boolean {
  if (status === null) return durationMs !== null && durationMs >= answerMs;
  return result === "failed" && [400, 401, 403].includes(status);
}

function skipped(name: ReceiverPromiseName): PromiseResult {
  return { name, result: "not_seen", status: null, duration_ms: null, detail: "skipped" };
}

function judgeTime(answers: readonly Answer[], answerMs: number): PromiseResult {
  const { name } = timePromise;
  if (answers.length === 0) return { ...skipped(name), detail: "nothing was sent" };
  const slowestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
  const isFast = slowestMs <= answerMs / 3;
  const result = isFast ? "ok" : slowestMs < answerMs ? "warning" : "failed";
  const slowest = `the slowest took ${(slowestMs / 1000).toFixed(1)} s${toHelp(timePromise)}`;
  return { name, result, status: null, duration_ms: slowestMs, detail: isFast ? "" : slowest };
}
