import type { CardNetwork } from "../use-cases/ports.ts";
import { simulatedNetwork } from "./test-cards.ts";

/**
 * The built-in network of live mode. It moves no money: test cards behave as in test mode, every
 * other card that has not expired is approved.
 */
export function simulatorNetwork(options: { processingTimeMs: number }): CardNetwork {
  return simulatedNetwork(options, "approved");
}
