import type { Scope } from "../database/scope.ts";
import type { GuardedNetwork, LocalNetwork } from "../networks/card-network.ts";
import type { WebhooksService } from "../webhooks/webhooks-service.ts";
import type { PaymentStore } from "./payment-types.ts";
/** `abandoned`: the customer did not come back in time; `canceled`: the customer canceled the payment meanwhile. */
export const challengeOutcomes = [
  "begun",
  "approved",
  "declined",
  "abandoned",
  "canceled",
] as const;

export type ChallengeOutcome = (typeof challengeOutcomes)[number];

/** What the use cases of payments take. */
export type PaymentsService = WebhooksService & {
  store: PaymentStore;
  networkOf: (scope: Pick<Scope, "livemode">) => LocalNetwork | GuardedNetwork;
  /** Decides live payments while no network is attached. */
  simulator: LocalNetwork;
  /** Called when a bank begins to ask a customer, and once with the end of that. */
  observeChallenge?: ((outcome: ChallengeOutcome) => void) | undefined;
  /** How long a request waits: 10 s for a network's answer, and 10 s for a refund, by default. */
  timeouts?: { networkMs?: number; refundMs?: number } | undefined;
};
