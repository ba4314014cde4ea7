import type { CardInput } from "../../../src/contract/payment.ts";
import type { ChargeOutcome, LocalNetwork } from "../../../src/service/networks/card-network.ts";
import { nowMs, unexpired } from "./card-fates.ts";
import { cardWith, chargeWith } from "./charge-with.ts";

export async function chargeInNovember(
  network: LocalNetwork,
  card: Partial<CardInput>,
): Promise<ChargeOutcome> {
  const charge = chargeWith({ begunAtMs: nowMs });
  return await network.charge(charge, cardWith({ ...unexpired, ...card }));
}

/** Returns `approved`, or the decline code after a look-up. */
export async function fateOf(network: LocalNetwork, card: Partial<CardInput>): Promise<string> {
  const first = await chargeInNovember(network, card);
  if (first.outcome !== "processing") return first.outcome;
  const { reference = null } = first;
  const answer = await network.lookUp(chargeWith({ reference }));
  return answer.outcome === "declined" ? answer.code : answer.outcome;
}
