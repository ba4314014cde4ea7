import { checkAdapter, type AdapterCheck } from "../network/check-adapter.ts";
import { ids } from "./ids.ts";

/** What `payments network check` prints. */
export type NetworkCheck = {
  object: "network_check";
  url: string;
  passed: number;
  failed: number;
  checks: AdapterCheck[];
};

/**
 * Tries the adapter of a card network: see network/check-adapter.ts. Where `signal` ends it, its reason
 * is thrown once all is given back.
 */
export async function checkNetwork(
  adapter: { url: string; secret: string; version: string },
  signal: AbortSignal,
): Promise<NetworkCheck> {
  const checks = await checkAdapter({ ...adapter, newId: ids.payment, signal });
  signal.throwIfAborted();
  const passed = checks.filter(({ ok }) => ok).length;
  const failed = checks.length - passed;
  return { object: "network_check", url: adapter.url, passed, failed, checks };
}
