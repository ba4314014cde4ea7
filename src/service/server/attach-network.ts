import { ConfigError } from "../../runtime/failures.ts";
import { guardNetwork } from "../networks/guarded.ts";
import type { NetworkObserver } from "../ports/card-network.ts";
import type { NetworkSettings } from "./serve-settings.ts";
import type { Log } from "../../runtime/log.ts";

/** Opens the card network that live payments go to; only its own modules are loaded. */
export async function attachNetwork(
  settings: NetworkSettings,
  version: string,
  observe: NetworkObserver,
) {
  const network = await openNetwork(settings, version);
  return {
    network: guardNetwork(describeNetwork(settings), network, observe),
    close: async () => network.close(),
  };
}

export async function openNetwork(settings: NetworkSettings, version: string) {
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

export function combineObservers(...observers: NetworkObserver[]): NetworkObserver {
  return {
    answered: (answer) => observers.forEach(({ answered }) => answered(answer)),
    rejected: (reason) => observers.forEach(({ rejected }) => rejected(reason)),
    breaker: (state) => observers.forEach(({ breaker }) => breaker(state)),
  };
}
