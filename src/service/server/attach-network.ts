import { guardNetwork } from "../networks/guarded.ts";
import type { GuardedNetwork, NetworkObserver } from "../ports/card-network.ts";
import type { NetworkSettings } from "./serve-settings.ts";

export type AttachedNetwork = { network: GuardedNetwork; close: () => Promise<void> };

/** The card network that a service is attached to; only that one is loaded. */
export async function attachNetwork(
  settings: NetworkSettings,
  version: string,
  observe: NetworkObserver,
): Promise<AttachedNetwork> {
  const network = await openNetwork(settings, version);
  return {
    network: guardNetwork(describeNetwork(settings), network, observe),
    close: async () => network.close(),
  };
}

async function openNetwork(settings: NetworkSettings, version: string) {
  if ("stripe" in settings) {
    const { createStripeNetwork } = await import("../networks/stripe-network.ts");
    return createStripeNetwork({ ...settings.stripe, version });
  }
  const { createHttpNetwork } = await import("../networks/http-network.ts");
  return createHttpNetwork({ ...settings, version });
}

/** How a network is named in the log and in the books: as `--network` names it, never with a secret. */
export function describeNetwork(settings: NetworkSettings): string {
  if (!("stripe" in settings)) return settings.url;
  const { baseUrl } = settings.stripe;
  return baseUrl === undefined ? "stripe" : `stripe at ${baseUrl}`;
}
