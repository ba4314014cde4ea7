import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createHttpTransport, describeFailure } from "../../runtime/http-transport.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/promises.ts";
import {
  buildTrialCharge,
  wrapOperations,
  type CardNetwork,
  type Charge,
  type LookUpOutcome,
} from "./card-network.ts";
import {
  adapterPromises,
  buildChallengePromises,
  transactionPromises,
} from "./adapter-promises.ts";
import {
  BrokenPromise,
  type Outcome,
  type RetryingNetwork,
  type Trial,
  createTransactionTrial,
} from "./adapter-trial.ts";
import {
  createHttpNetwork,
  isSecretRefused,
  buildHeaders,
  toSecretRefused,
} from "./http-network.ts";
import { maskNetworkText } from "./network-answers.ts";

/**
 * The result of a promise; `detail` says how the adapter broke it, or that it does not offer what is optional; else it
 * is empty.
 */
export type AdapterCheck = { name: string; ok: boolean; detail: string };

export type CheckSettings = {
  url: string;
  secret: string;
  version: string;
  /** The number of a card whose bank asks the customer; without it no challenge is checked. */
  challengeCardNumber?: string | undefined;
  /** Creates the id of a payment. */
  newId: () => string;
  /** Ends the checks early; all charges are still canceled. */
  signal: AbortSignal;
  /** Called with each promise before it is checked, and how long that may take. */
  onCheck: (name: string, limitMs: number) => void;
  /** How long the adapter may take for an answer; 10 s by default. */
  timeoutMs?: number;
  /** How long a promise may take, with what the adapter is processing; a minute by default. */
  limitMs?: number;
  /** Waits between two look-ups. */
  wait?: (waitMs: number) => Promise<unknown>;
};

const defaultLimitMs = 60_000;
/** The part of the time that is left to each promise once another one has taken all of it. */
const hurriedPart = 1 / 6;

/**
 * Checks an adapter: each promise on charges of its own, with 1.00 EUR and test cards. At the end all charges are
 * canceled. Error: Unavailable, where no adapter answers, or it refuses the secret.
 */
export async function checkAdapter(settings: CheckSettings): Promise<AdapterCheck[]> {
  const { newId, signal, onCheck, challengeCardNumber, limitMs = defaultLimitMs } = settings;
  const network = createHttpNetwork(settings); // refuses an address that is not safe
  await assertReachable(settings);
  const unauthorized = [`not-${randomUUID()}`, undefined].map((other) =>
    createHttpNetwork({ ...settings, secret: other }),
  );
  const openCharges = new Set<Charge>();
  const startTrial = (limit: TimeLimit): Trial => ({
    adapter: awaitFinal(endAtLimit(network, limit), settings, limit),
    unauthorized: unauthorized.map((each) => endAtLimit(each, limit)),
    newCharge: (returnUrl?: string) => {
      const charge = buildTrialCharge(newId(), returnUrl);
      openCharges.add(charge);
      return charge;
    },
    isRefunded: (charge: Charge) => openCharges.delete(charge),
    ...createTransactionTrial({ ...settings, signal: AbortSignal.any([signal, limit.signal]) }),
  });
  const checks: AdapterCheck[] = [];
  let eachMs = limitMs;
  const check = async (name: string, ms: number, verify: Verify) => {
    onCheck(name, ms);
    const limit = startLimit(ms);
    const result = verify(startTrial(limit), limit);
    checks.push(await runCheck(name, limit, result, challengeCardNumber));
    limit.end();
    // An adapter that is too slow once is waited for less from then on.
    if (limit.isReached && limit.leftMs() < ms / 2) eachMs = limitMs * hurriedPart;
  };
  const challenges =
    challengeCardNumber === undefined ? [] : buildChallengePromises(challengeCardNumber);
  for (const [name, verify] of [...adapterPromises, ...transactionPromises, ...challenges]) {
    if (!signal.aborted) {
      await check(name, eachMs, async (trial, limit) => limit.race(verify(trial)));
    }
  }
  await check("every charge is canceled or refunded", limitMs, async ({ adapter }) =>
    cancelAll(adapter, openCharges),
  );
  await Promise.all([network, ...unauthorized].map(async ({ close }) => close()));
  return checks;
}

type Verify = (trial: Trial, limit: TimeLimit) => Promise<string | void>;

async function runCheck(
  name: string,
  limit: TimeLimit,
  result: Promise<string | void>,
  cardNumber?: string,
): Promise<AdapterCheck> {
  try {
    return { name, ok: true, detail: (await result) ?? "" };
  } catch (error) {
    if (!(error instanceof BrokenPromise)) throw error;
    const late = limit.isReached ? `; a check may take ${limit.ms / 1000} s` : "";
    return {
      name,
      ok: false,
      detail: maskNetworkText(`${error.message}${late}`, { number: cardNumber }),
    };
  }
}

/** The time of one check. */
type TimeLimit = ReturnType<typeof startLimit>;

function startLimit(ms: number) {
  const endsAtMs = performance.now() + ms;
  const over = new AbortController();
  const limit = {
    ms,
    isReached: false,
    leftMs: () => endsAtMs - performance.now(),
    /** Aborted once the check is over. */
    signal: over.signal,
    end: () => over.abort(new BrokenPromise("The check is over.")),
    /** The result of a check; when its time is up, it fails, and sends nothing more. */
    race: async <T>(result: Promise<T>): Promise<T> =>
      withTimeout(result, ms, () => {
        limit.isReached = true;
        throw new BrokenPromise("it did not end");
      }),
  };
  return limit;
}

/** The same network, which is sent nothing more once a check is over: its charges are canceled then. */
function endAtLimit(network: CardNetwork, { signal }: TimeLimit): CardNetwork {
  return wrapOperations(network, (_, call) => async (...args) => {
    signal.throwIfAborted();
    return await call(...args);
  });
}

/** Accepts every answer that does not refuse the secret; the promises check the rest. */
async function assertReachable(settings: CheckSettings): Promise<void> {
  const { url, secret, version, newId, timeoutMs = 10_000 } = settings;
  const transport = createHttpTransport(url);
  const headers = buildHeaders(secret, version);
  let status: number;
  try {
    const path = `/charges/${newId()}`;
    ({ status } = await transport.send({ method: "GET", path, headers, timeoutMs }));
  } catch (error) {
    const reason = maskNetworkText(describeFailure(error));
    throw new Unavailable(`The adapter cannot be reached: ${reason}.`, { cause: error });
  } finally {
    await transport.close();
  }
  if (isSecretRefused(status)) {
    throw new Unavailable(
      `Nothing was tried: ${toSecretRefused(status).reason}. PAYMENTS_NETWORK_SECRET is to be the secret that the adapter was set up with.`,
    );
  }
}

/** The same network, which waits while an outcome is `processing`; it then looks a charge up. */
function awaitFinal(
  network: CardNetwork,
  { wait = delay }: Pick<CheckSettings, "wait">,
  limit: TimeLimit,
): RetryingNetwork {
  async function untilFinal<O extends Outcome>(
    ask: () => Promise<O>,
    retry: () => Promise<O> = ask,
  ): Promise<O> {
    let answer = await ask();
    let leftMs = limit.leftMs();
    while (answer.outcome === "processing") {
      leftMs = Math.min(leftMs, limit.leftMs()) - answer.retryAfterMs;
      limit.isReached ||= leftMs < 0;
      if (leftMs < 0) return answer;
      await wait(answer.retryAfterMs);
      answer = await retry();
    }
    return answer;
  }
  return {
    charge: async (charge, card) =>
      untilFinal<LookUpOutcome>(
        async () => network.charge(charge, card),
        async () => network.lookUp(charge),
      ),
    lookUp: async (charge) => untilFinal(async () => network.lookUp(charge)),
    cancel: async (charge) => untilFinal(async () => network.cancel(charge)),
    refund: async (charge) => untilFinal(async () => network.refund(charge)),
  };
}

async function cancelAll(adapter: RetryingNetwork, openCharges: Iterable<Charge>): Promise<void> {
  const canceled = [...openCharges].map(async (charge) => ({
    id: charge.id,
    outcome: (await adapter.cancel(charge)).outcome,
  }));
  const notCanceled = (await Promise.all(canceled)).filter(({ outcome }) => outcome !== "canceled");
  if (notCanceled.length === 0) return;
  throw new BrokenPromise(`not canceled: ${notCanceled.map(({ id }) => id).join(", ")}`);
}
