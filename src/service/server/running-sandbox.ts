import type {
  FaultInput,
  SandboxFault,
  SandboxRequest,
  SandboxResponses,
} from "../../contract/sandbox.ts";
import type { ClockMode } from "../../contract/sandbox-values.ts";

/** `clock`: `manual` lets the time stand still until `advance`. `seed`: ids, secrets and jitter repeat with it. */
export type SandboxOptions = {
  sandbox: true;
  clock?: ClockMode;
  seed?: string;
  host?: string;
  port?: number;
  database?: string;
};

/** An account of a sandbox, and its faults and requests. */
export type SandboxAccount = SandboxResponses["sandboxAccount"] & {
  /** Lets the account's next matching requests go wrong. */
  fault: (fault: FaultInput) => SandboxFault;
  /** The faults that are set, and how often each has struck. */
  faults: () => SandboxFault[];
  clearFaults: () => void;
  /** The account's last 1,000 requests, oldest first. */
  requests: () => SandboxRequest[];
};

/** A sandbox in this process. `fault`, `faults`, `clearFaults` and `requests` are those of its first account. */
export type RunningSandbox = Omit<SandboxAccount, "account"> & {
  url: string;
  metricsUrl: undefined;
  /** The id of the first account, to which the keys belong. */
  account: string;
  dashboardUrl: string;
  /** Everything is as at the start when it resolves. */
  reset: () => Promise<void>;
  /** A new account with a key of each mode, for one of several tests at the same time. */
  createAccount: (name?: string) => Promise<SandboxAccount>;
  now: () => number;
  /** Moves the time on by a duration such as `25h`; resolves once all the work that is due by then is done. */
  advance: (duration: string) => Promise<SandboxResponses["movedClock"]>;
  /** The same, to a time in Unix seconds. */
  advanceTo: (time: number) => Promise<SandboxResponses["movedClock"]>;
  close: () => Promise<void>;
};
