import { checkAdapter, type AdapterCheck, type CheckSettings } from "../networks/check-adapter.ts";
import { ids } from "./ids.ts";

/** The result that `payments network check` prints. */
export type NetworkCheck = {
  object: "network_check";
  url: string;
  passed: number;
  failed: number;
  checks: AdapterCheck[];
};

/** Tries the adapter of a card network: see network/check-adapter.ts. */
export async function checkNetwork(
  adapter: Pick<CheckSettings, "url" | "secret" | "version">,
  options: Pick<CheckSettings, "signal" | "onCheck" | "challengeCardNumber">,
): Promise<NetworkCheck> {
  const checks = await checkAdapter({ ...adapter, ...options, newId: ids.payment });
  const passed = checks.filter(({ ok }) => ok).length;
  const failed = checks.length - passed;
  return { object: "network_check", url: adapter.url, passed, failed, checks };
}
