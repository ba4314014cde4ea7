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

/** Checks an adapter up to a promise, since a fault that this one has found is not looked for by the later ones. */
export async function runChecksUpTo(
  promise: string,
  url: string,
  special: Partial<CheckSettings> = {},
): Promise<AdapterCheck[]> {
  const over = new AbortController();
  let isReached = false;
  const onCheck = (name: string, limitMs: number) => {
    if (isReached) over.abort();
    isReached ||= name === promise;
    special.onCheck?.(name, limitMs);
  };
  return await runChecks(url, { ...special, onCheck, signal: over.signal });
}

export function findBroken(checks: AdapterCheck[]): AdapterCheck[] {
  return checks.filter(({ ok }) => !ok);
}
