import type { DeclineCode } from "../../contract/payment-values.ts";
import type { LocalNetwork } from "../ports/card-network.ts";
import type { Faults } from "./faults.ts";

const unknown = { outcome: "unknown", reason: "A fault of the sandbox." } as const;

/**
 * The network of live payments with the faults of the sandbox. `processing`: a charge that would be approved is
 * approved after the processing time. `unknown`: the network's answer is lost; a charge that would be approved turns
 * out to be, and any other one never to have reached the network.
 */
export function addNetworkFaults(
  network: LocalNetwork,
  faults: Faults,
  { processingTimeMs }: { processingTimeMs: number },
): LocalNetwork {
  /** Charges that were approved, and whose answer was lost. */
  const approvedUnknown = new Map<string, string>();
  const declineLater = (code: DeclineCode) =>
    ({ outcome: "processing", reference: code, retryAfterMs: processingTimeMs }) as const;
  return {
    ...network,
    charge: async (charge, card) => {
      const fault = faults.strike(
        charge.accountId,
        ["network"],
        ["processing", "unknown", "decline"],
      );
      if (fault?.do === "decline") return declineLater(fault.code ?? "generic_decline");
      const outcome = await network.charge(charge, card);
      if (fault?.do === "unknown") {
        if (outcome.outcome === "approved") approvedUnknown.set(charge.id, outcome.reference);
        return unknown;
      }
      if (fault?.do === "processing" && outcome.outcome === "approved") {
        const { reference } = outcome;
        return { outcome: "processing", reference, retryAfterMs: processingTimeMs };
      }
      return outcome;
    },
    lookUp: async (charge) => {
      const reference = charge.reference ?? approvedUnknown.get(charge.id) ?? null;
      approvedUnknown.delete(charge.id);
      return await network.lookUp({ ...charge, reference });
    },
    refund: async (charge) =>
      faults.strike(charge.accountId, ["network"], ["refund_declined"])
        ? { outcome: "declined", code: "generic_decline" }
        : await network.refund(charge),
  };
}
