import type { Log } from "../http/log.ts";
import type { NetworkObserver } from "../ports/card-network.ts";

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
