import { randomUUID } from "node:crypto";
import {
  checkAdapter,
  type AdapterCheck,
  type CheckSettings,
} from "../../../src/service/networks/check-adapter.ts";
import { secret } from "./example-adapter.ts";

/** Checks an adapter with the secret of the example. */
export async function runChecks(
  url: string,
  special: Partial<CheckSettings> = {},
): Promise<AdapterCheck[]> {
  return await checkAdapter({
    url,
    secret,
    version: "1.2.3",
    newId: () => `pay_${randomUUID()}`,
    signal: new AbortController().signal,
    onCheck: () => {},
    ...special,
  });
}

export function findBroken(checks: AdapterCheck[]): AdapterCheck[] {
  return checks.filter(({ ok }) => !ok);
}
