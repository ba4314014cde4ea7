import type { FaultBody, SandboxFault } from "../../contract/sandbox.ts";
import { ServiceError } from "../domain/service-error.ts";

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
