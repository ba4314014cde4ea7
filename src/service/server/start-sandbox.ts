import {
  createSandboxAccountBody,
  faultBody,
  moveClockBody,
  type FaultInput,
} from "../../contract/sandbox.ts";
import { validate } from "../http/validate.ts";
import type { FrontLimits } from "./open-front.ts";
import type { RunningSandbox } from "./running-sandbox.ts";
import { serveSandbox, type SandboxSettings } from "./serve-sandbox.ts";

/** Starts a sandbox. Its methods throw the API's errors: what a request would be refused for. */
export async function startSandbox(
  settings: SandboxSettings,
  limits: FrontLimits,
): Promise<RunningSandbox> {
  const { url, keys, account, dashboardUrl, control, close } = await serveSandbox(settings, limits);
  const controlAccount = (id: string) => ({
    fault: (fault: FaultInput) => control.setFault(id, validate(faultBody, fault)),
    faults: () => control.listFaults(id),
    clearFaults: () => control.clearFaults(id),
    requests: () => control.listRequests(id),
  });
  return {
    url,
    metricsUrl: undefined,
    keys,
    account,
    dashboardUrl,
    ...controlAccount(account),
    reset: async () => void (await control.reset()),
    createAccount: async (name) => {
      const body = validate(createSandboxAccountBody, { name });
      const created = await control.createAccount(body.name ?? undefined);
      return { ...created, ...controlAccount(created.account.id) };
    },
    now: () => control.getClock().now,
    advance: async (duration) => control.moveClock(validate(moveClockBody, { advance: duration })),
    advanceTo: async (time) => control.moveClock(validate(moveClockBody, { to: time })),
    close,
  };
}
