import type { FaultBody, SandboxFault } from "../../contract/sandbox.ts";
import { ServiceError } from "../../contract/error.ts";
import type { LocalNetwork } from "../networks/card-network.ts";

/** A fault that strikes now. */
export type Fault = Pick<FaultBody, "do" | "for" | "status" | "code">;

type SetFault = FaultBody & { passed: number; struck: number };

const maxFaults = 100;

/** The faults of a sandbox, by account: which requests go wrong, and how. */
export function createFaults() {
  const byAccount = new Map<string, SetFault[]>();

  return {
    /**
     * If an account has the maximum number of faults, the oldest one that has struck as often as it was to makes room.
     * Error: parameter_invalid where there is none.
     */
    set: (accountId: string, body: FaultBody): SandboxFault => {
      const others = byAccount.get(accountId) ?? [];
      const oldest = others.find(isOver);
      if (others.length >= maxFaults && !oldest) {
        throw new ServiceError(
          "parameter_invalid",
          `on must be one of at most ${maxFaults} faults that have yet to strike. Clear them first, with DELETE /sandbox/faults.`,
          "on",
        );
      }
      const fault = { ...body, passed: 0, struck: 0 };
      const kept = others.length < maxFaults ? others : others.filter((each) => each !== oldest);
      byAccount.set(accountId, [...kept, fault]);
      return toSandboxFault(fault);
    },
    list: (accountId: string): SandboxFault[] =>
      (byAccount.get(accountId) ?? []).map(toSandboxFault),
    clear: (accountId: string): void => void byAccount.delete(accountId),
    clearAll: (): void => byAccount.clear(),
    /**
     * The fault that strikes a request on one of `on`, one of `kinds` where they are given. The first that was set
     * strikes first; those after it do not count a request that it struck. Without `usesUp` none counts it.
     */
    strike: (
      accountId: string,
      on: readonly string[],
      { kinds, usesUp = true }: { kinds?: readonly Fault["do"][]; usesUp?: boolean } = {},
    ): Fault | undefined => {
      for (const fault of byAccount.get(accountId) ?? []) {
        if (!on.includes(fault.on) || (kinds && !kinds.includes(fault.do))) continue;
        if (isOver(fault)) continue;
        if (fault.passed < fault.after) {
          if (usesUp) fault.passed++;
          continue;
        }
        if (usesUp) fault.struck++;
        return fault;
      }
      return undefined;
    },
  };
}
export type Faults = ReturnType<typeof createFaults>;

function isOver({ struck, times }: SetFault): boolean {
  return struck >= times;
}

function toSandboxFault(fault: SetFault): SandboxFault {
  const { on, do: kind, times, after, struck, for: delay, status, code } = fault;
  return {
    on,
    do: kind,
    times,
    after,
    struck,
    ...(delay && { for: delay }),
    ...(status && { status }),
    ...(code && { code }),
  };
}

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
