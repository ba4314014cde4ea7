import {
  type FaultInput,
  type SandboxFault,
  type SandboxRequest,
  type AccountWithKeys,
  type MovedClock,
  type NewSandboxAccount,
  createSandboxAccountBody,
  faultBody,
  moveClockBody,
} from "../../contract/sandbox.ts";
import { type OptionRule, type OptionRules, checkOptions } from "../../runtime/options.ts";
import { ServiceError } from "../../contract/error.ts";
import { isJsonObject } from "../../runtime/text.ts";
import type { Event } from "../../contract/event.ts";
import { validate } from "../../contract/validate.ts";
import { type EventWait, eventWaitRules } from "../sandbox/wait-for-event.ts";
import type { FrontLimits } from "./open-front.ts";
import { type SandboxSettings, serveSandbox } from "./serve-sandbox.ts";

/**
 * Starts a sandbox. Its methods throw the API's errors: what a request would be refused for; once it is closed all of
 * them say so.
 */
export async function startSandbox(
  settings: SandboxSettings,
  limits: FrontLimits,
): Promise<RunningSandbox> {
  const { url, keys, account, dashboardUrl, control, close } = await serveSandbox(settings, limits);
  let isClosed = false;
  function requireOpen(): typeof control {
    if (!isClosed) return control;
    throw new ServiceError(
      "service_unavailable",
      "This sandbox is closed. Start another one with startService({ sandbox: true }).",
    );
  }
  const end = async () => {
    isClosed = true;
    await close();
  };
  const controlAccount = (id: string) => ({
    fault: (fault: FaultInput) => {
      checkOptions(fault, faultNames, "fault");
      return requireOpen().setFault(id, validate(faultBody, fault));
    },
    faults: () => requireOpen().listFaults(id),
    clearFaults: () => requireOpen().clearFaults(id),
    requests: () => requireOpen().listRequests(id),
  });
  return {
    url,
    metricsUrl: undefined,
    keys,
    account,
    dashboardUrl,
    ...controlAccount(account),
    reset: async () => void (await requireOpen().reset()),
    createAccount: async (wanted) => {
      const named = isJsonObject(wanted) ? wanted : { name: wanted };
      const body = validate(createSandboxAccountBody, named);
      const created = await requireOpen().createAccount(body);
      return { ...created, ...controlAccount(created.account.id) };
    },
    now: () => requireOpen().getClock().now,
    advance: async (duration) =>
      requireOpen().moveClock(validate(moveClockBody, { advance: duration })),
    advanceTo: async (time) => requireOpen().moveClock(validate(moveClockBody, { to: time })),
    waitForEvent: async (wait) => {
      checkOptions(wait, eventWaitRules, "waitForEvent");
      return await requireOpen().waitForEvent(wait);
    },
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

export type { EventWait } from "../sandbox/wait-for-event.ts";

/** The schema says what each may be; the error of a misspelt name gives the nearest. */
const any: OptionRule = () => undefined;
const faultNames: OptionRules<FaultInput> = {
  on: any,
  do: any,
  times: any,
  after: any,
  for: any,
  status: any,
  code: any,
};

/** An account of a sandbox, and its faults and requests. */
export type SandboxAccount = AccountWithKeys & {
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
  /**
   * A new account with a key of each mode, for one of several tests at the same time: by its name, or with what both
   * keys may, by default everything (`max_refund` is in minor units).
   */
  createAccount: (account?: string | NewSandboxAccount) => Promise<SandboxAccount>;
  now: () => number;
  /** Moves the time on by a duration such as `25h`; resolves once all the work that is due by then is done. */
  advance: (duration: string) => Promise<MovedClock>;
  /** The same, to a time in Unix seconds. */
  advanceTo: (time: number) => Promise<MovedClock>;
  /**
   * Resolves with the newest event that matches, once there is one. After `timeoutMs` an error says what came instead. A
   * reset, and the sandbox's end, end it with an error.
   */
  waitForEvent: (wait: EventWait) => Promise<Event>;
  /** Ends the sandbox, once however often it is called. */
  close: () => Promise<void>;
  /** For `await using`: the same as `close`. */
  [Symbol.asyncDispose]: () => Promise<void>;
};
