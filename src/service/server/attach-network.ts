import { guardNetwork } from "../networks/guarded.ts";
import type { NetworkObserver } from "../ports/card-network.ts";
import type { NetworkSettings } from "./serve-settings.ts";

/** Opens the card network that live payments go to; only its own modules are loaded. */
export async function attachNetwork(
  settings: NetworkSettings,
  version: string,
  observe: NetworkObserver,
) {
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

/** A network's name in the log and in the database: as `--network` names it, never with a secret. */
export function describeNetwork(settings: NetworkSettings): string {
  if (!("stripe" in settings)) return settings.url;
  const { baseUrl } = settings.stripe;
  return baseUrl === undefined ? "stripe" : `stripe at ${baseUrl}`;
}
