import { reportFailure, reportOk, type Check } from "../../../contract/doctor.ts";
import { withTimeout } from "../../../runtime/promises.ts";
import { buildTrialCharge, type LookUpOutcome } from "../../networks/card-network.ts";
import { describeNetwork, openNetwork } from "../attach-network.ts";
import { ids } from "../../database/ids.ts";
import type { NetworkSettings } from "../service-settings.ts";

const timeoutMs = 5_000;
const noAnswer: LookUpOutcome = {
  outcome: "unknown",
  reason: `no answer within ${timeoutMs / 1000} s`,
};

/** Asks a card network about a charge that it cannot know: nothing is charged, and the secret is tried. */
export async function* probeNetwork(
  settings: NetworkSettings,
  version: string,
): AsyncGenerator<Check> {
  const name = describeNetwork(settings);
  const isStripe = "stripe" in settings;
  const network = await openNetwork(settings, version);
  const asked = network.probe(buildTrialCharge(ids.payment()));
  const outcome = await withTimeout(asked, timeoutMs, () => noAnswer);
  await network.close();
  const help = isStripe ? "https://status.stripe.com" : `payments network check ${name}`;
  if (outcome.outcome === "not_found") {
    yield reportOk("network", `${name} answers.`);
    yield reportOk("network_secret", "It accepts the secret.");
  } else if (outcome.outcome !== "unknown") {
    const detail = `${name} knows a charge that was never made: its answer was ${outcome.outcome}.`;
    yield reportFailure("network", detail, help);
  } else if (outcome.isRefused) {
    const variable = isStripe ? "PAYMENTS_STRIPE_SECRET_KEY" : "PAYMENTS_NETWORK_SECRET";
    yield reportOk("network", `${name} answers.`);
    yield reportFailure(
      "network_secret",
      `It refuses the secret: ${outcome.reason}.`,
      `export ${variable}=…`,
    );
  } else yield reportFailure("network", `${name} cannot be used: ${outcome.reason}.`, help);
}
