import { type Check, reportFailure, reportOk } from "../../contract/doctor.ts";
import { ConfigError } from "../../runtime/failures.ts";
import type { Log } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { ids } from "../database/ids.ts";
import {
  type LookUpOutcome,
  type NetworkObserver,
  buildTrialCharge,
} from "../networks/card-network.ts";
import type { AdapterCheck, CheckSettings } from "../networks/check-adapter.ts";
import { guardNetwork } from "../networks/guard-network.ts";
import {
  type NetworkTransaction,
  type TransactionRange,
  listPages,
} from "../networks/network-transactions.ts";
import type { NetworkSettings } from "./service-settings.ts";

export type { NetworkTransaction } from "../networks/network-transactions.ts";

/** Opens the card network that live payments go to; only its own modules are loaded. */
export async function attachNetwork(
  settings: NetworkSettings,
  version: string,
  observers: readonly NetworkObserver[],
) {
  const network = await openNetwork(settings, version);
  const observe: NetworkObserver = {
    answered: (answer) => observers.forEach(({ answered }) => answered(answer)),
    rejected: (reason) => observers.forEach(({ rejected }) => rejected(reason)),
    breaker: (state) => observers.forEach(({ breaker }) => breaker(state)),
  };
  return {
    network: guardNetwork(describeNetwork(settings), network, observe),
    close: async () => network.close(),
  };
}

async function openNetwork(settings: NetworkSettings, version: string) {
  if ("stripe" in settings) {
    const { createStripeNetwork } = await import("../networks/stripe-network.ts").catch(
      explainMissingStripe,
    );
    return createStripeNetwork({ ...settings.stripe, version });
  }
  const { createHttpNetwork } = await import("../networks/http-network.ts");
  return createHttpNetwork({ ...settings, version });
}

/** A program has the large package `stripe` only if it has installed it; the command always has it. */
function explainMissingStripe(error: unknown): never {
  if (!(Error.isError(error) && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"))
    throw error;
  throw new ConfigError(
    "Payments at Stripe need the package stripe, which is not installed: npm install stripe",
  );
}

/** A network's name in the log and in the database: as `--network` names it, never with a secret. */
export function describeNetwork(settings: NetworkSettings): string {
  if (!("stripe" in settings)) return settings.url;
  const { baseUrl } = settings.stripe;
  return baseUrl === undefined ? "stripe" : `stripe at ${baseUrl}`;
}

/** Logs what goes wrong between the service and its card network: payment ids and reasons, never card data. */
export function createNetworkLog(log: Log): NetworkObserver {
  return {
    answered: ({ operation, paymentId, outcome }) => {
      const fields = { operation, payment_id: paymentId, outcome: outcome.outcome };
      if ("isMasked" in outcome)
        log.error(
          fields,
          "the card network sent a card number, which is masked: it must not send any",
        );
      if (outcome.outcome === "unknown") {
        const { reason, isRefused, isMismatched } = outcome;
        if (isRefused) log.error({ ...fields, reason }, "the card network refuses the secret");
        else if (isMismatched)
          log.error(
            { ...fields, reason },
            "the card network answered about another charge than the one asked for",
          );
        else log.info({ ...fields, reason }, "the card network's answer is not known");
      } else if (outcome.outcome === "declined" && outcome.networkCode !== undefined) {
        log.info({ ...fields, network_code: outcome.networkCode }, "the card network has declined");
      } else if (operation === "lookUp" || operation === "cancel") {
        log.info(fields, "the card network was asked again");
      }
    },
    rejected: () => {},
    breaker: (state) =>
      state === "open"
        ? log.error({}, "the card network fails: one request a second is let through")
        : log.info({}, "the card network answers again"),
  };
}

/**
 * Lists the transactions of the card network that live payments go to, page by page; only that network's modules are
 * loaded. Errors: those of `listPages`.
 */
export async function* listTransactions(
  settings: NetworkSettings,
  options: { version: string; range: TransactionRange; signal: AbortSignal },
): AsyncGenerator<NetworkTransaction[]> {
  const { version, range, signal } = options;
  const name = "stripe" in settings ? "Stripe" : `The adapter at ${describeNetwork(settings)}`;
  yield* listPages(await openSource(settings, version), range, { name, signal });
}

async function openSource(settings: NetworkSettings, version: string) {
  if ("stripe" in settings) {
    const { createStripeTransactions } = await import("../networks/stripe-network.ts");
    return createStripeTransactions({ ...settings.stripe, version });
  }
  const { createHttpTransactions } = await import("../networks/http-network.ts");
  return createHttpTransactions({ ...settings, version });
}

/** The result that `payments network check` prints. */
export type NetworkCheck = {
  object: "network_check";
  url: string;
  passed: number;
  failed: number;
  checks: AdapterCheck[];
};

/** Tries the adapter of a card network: see networks/check-adapter.ts. */
export async function checkNetwork(
  adapter: Pick<CheckSettings, "url" | "secret" | "version">,
  options: Pick<CheckSettings, "signal" | "onCheck" | "challengeCardNumber">,
): Promise<NetworkCheck> {
  const { checkAdapter } = await import("../networks/check-adapter.ts");
  const checks = await checkAdapter({ ...adapter, ...options, newId: ids.payment });
  const passed = checks.filter(({ ok }) => ok).length;
  const failed = checks.length - passed;
  return { object: "network_check", url: adapter.url, passed, failed, checks };
}

const probeTimeoutMs = 5_000;
const noAnswer: LookUpOutcome = {
  outcome: "unknown",
  reason: `no answer within ${probeTimeoutMs / 1000} s`,
};

/** Asks a card network about a charge that it cannot know: nothing is charged, and the secret is tried. */
export async function* probeNetwork(
  settings: NetworkSettings,
  version: string,
): AsyncGenerator<Check> {
  const name = describeNetwork(settings);
  const isStripe = "stripe" in settings;
  const network = await openNetwork(settings, version);
  const asked = network.probe(buildTrialCharge(ids.payment()));
  const outcome = await withTimeout(asked, probeTimeoutMs, () => noAnswer);
  await network.close();
  const help = isStripe ? "https://status.stripe.com" : `payments network check ${name}`;
  if (outcome.outcome === "not_found") {
    yield reportOk("network", `${name} answers.`);
    yield reportOk("network_secret", "It accepts the secret.");
  } else if (outcome.outcome !== "unknown") {
    const detail = `${name} knows a charge that was never made: its answer was ${outcome.outcome}.`;
    yield reportFailure("network", detail, help);
  } else if (outcome.isRefused) {
    const variable = isStripe ? "PAYMENTS_STRIPE_SECRET_KEY" : "PAYMENTS_NETWORK_SECRET";
    yield reportOk("network", `${name} answers.`);
    yield reportFailure(
      "network_secret",
      `It refuses the secret: ${outcome.reason}.`,
      `export ${variable}=…`,
    );
  } else yield reportFailure("network", `${name} cannot be used: ${outcome.reason}.`, help);
}
