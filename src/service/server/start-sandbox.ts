import {
  createSandboxAccountBody,
  faultBody,
  moveClockBody,
  type FaultInput,
} from "../../contract/sandbox.ts";
import { checkOptions, type OptionRule, type OptionRules } from "../../runtime/options.ts";
import { ServiceError } from "../domain/service-error.ts";
import { validate } from "../input/validate.ts";
import type { FrontLimits } from "./open-front.ts";
import type { RunningSandbox } from "./running-sandbox.ts";
import { serveSandbox, type SandboxSettings } from "./serve-sandbox.ts";

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
    createAccount: async (name) => {
      const body = validate(createSandboxAccountBody, { name });
      const created = await requireOpen().createAccount(body.name ?? undefined);
      return { ...created, ...controlAccount(created.account.id) };
    },
    now: () => requireOpen().getClock().now,
    advance: async (duration) =>
      requireOpen().moveClock(validate(moveClockBody, { advance: duration })),
    advanceTo: async (time) => requireOpen().moveClock(validate(moveClockBody, { to: time })),
    close: async () => {
      isClosed = true;
      await close();
    },
  };
}

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
