import { guarded } from "../network/guarded.ts";
import type { GuardedNetwork, NetworkObserver } from "../use-cases/card-network.ts";
import type { NetworkSettings } from "./settings.ts";

export type AttachedNetwork = { network: GuardedNetwork; close: () => Promise<void> };

/** The card network that a service is attached to; only that one is loaded. */
export async function attachNetwork(
  { url, secret }: NetworkSettings,
  version: string,
  observe: NetworkObserver,
): Promise<AttachedNetwork> {
  const { httpNetwork } = await import("../network/http-network.ts");
  const network = httpNetwork({ url, secret, version });
  return { network: guarded(network, observe), close: async () => network.close() };
}
