import type { LocalNetwork } from "../ports/card-network.ts";
import type { Faults } from "./faults.ts";

const unknown = { outcome: "unknown", reason: "A fault of the sandbox." } as const;

/**
 * The network of live payments with the faults of the sandbox. `processing`: a charge that would be approved is
 * approved after the processing time. `unknown`: the network's answer is lost; a charge that would be approved turns
 * out to be when it is looked up, and any other one never to have reached the network.
 */
export function addNetworkFaults(
  network: LocalNetwork,
  faults: Faults,
  { processingTimeMs }: { processingTimeMs: number },
): LocalNetwork {
  const decideLater = (reference: string) =>
    ({ outcome: "processing", reference, retryAfterMs: processingTimeMs }) as const;
  return {
    ...network,
    charge: async (charge, card) => {
      const kinds = ["processing", "unknown", "decline"] as const;
      const fault = faults.strike(charge.accountId, ["network"], { kinds });
      // The simulator knows a decline by its code.
      if (fault?.do === "decline") return decideLater(fault.code ?? "generic_decline");
      const outcome = await network.charge(charge, card);
      if (fault && outcome.outcome === "approved") return decideLater(outcome.reference);
      return fault?.do === "unknown" ? unknown : outcome;
    },
    refund: async (charge) =>
      faults.strike(charge.accountId, ["network"], { kinds: ["refund_declined"] })
        ? { outcome: "declined", code: "generic_decline" }
        : await network.refund(charge),
  };
}
