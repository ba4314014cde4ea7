import type { Log } from "../http/log.ts";
import type { NetworkObserver } from "../ports/card-network.ts";

/**
 * Tells of what does not go as usual between the service and its card network. Nothing of it is card data:
 * a payment's id, and the network's own words for why.
 */
export function createNetworkLog(log: Log): NetworkObserver {
  return {
    answered: ({ operation, paymentId, outcome }) => {
      const told = { operation, payment_id: paymentId, outcome: outcome.outcome };
      if ("isMasked" in outcome)
        log.error(
          told,
          "the card network sent a card number, which is masked: it must not send any",
        );
      if (outcome.outcome === "unknown") {
        const { reason, isRefused, isMismatched } = outcome;
        if (isRefused) log.error({ ...told, reason }, "the card network refuses the secret");
        else if (isMismatched)
          log.error(
            { ...told, reason },
            "the card network answered about another charge than the one asked for",
          );
        else log.info({ ...told, reason }, "the card network's answer is not known");
      } else if (outcome.outcome === "declined" && outcome.networkCode !== undefined) {
        log.info({ ...told, network_code: outcome.networkCode }, "the card network has declined");
      } else if (operation === "lookUp" || operation === "cancel") {
        log.info(told, "the card network was asked again");
      }
    },
    rejected: () => {},
    breaker: (state) =>
      state === "open"
        ? log.error({}, "the card network fails: one request a second is let through")
        : log.info({}, "the card network answers again"),
  };
}

/** Both are told. */
export function combineObservers(one: NetworkObserver, other: NetworkObserver): NetworkObserver {
  return {
    answered: (answer) => {
      one.answered(answer);
      other.answered(answer);
    },
    rejected: (reason) => {
      one.rejected(reason);
      other.rejected(reason);
    },
    breaker: (state) => {
      one.breaker(state);
      other.breaker(state);
    },
  };
}
