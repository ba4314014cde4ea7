import type { CheckoutService } from "./find-page.ts";
import { askNetwork, storeAnswer, withNetworkTimeout } from "../payments/ask-network.ts";
import type { FoundPage } from "../payments/hosted-pages-sql.ts";

/** How often the browsers that come back to one page make the service ask the network. */
const intervalMs = 1_000;

/**
 * Asks the network about a customer who has come back from the bank, and writes what it knows by now. Without an
 * answer in time the charge is settled later, like every other.
 */
export async function askAboutChallenge(
  service: CheckoutService,
  { scope, payment }: FoundPage,
): Promise<void> {
  const network = service.networkOf(scope);
  if (network.isLocal) return; // its challenge is decided by a form of the service's own
  const sinceMs = performance.now();
  const turn = { nowMs: service.clock(), intervalMs };
  const charge = await service.store.takeChallengeTurn(scope, payment.id, turn);
  if (charge?.network !== network.name) return;
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit = slots.use(await network.admit({ accountId, purpose: "settlement" }));
  if (!permit) return;
  const due = { scope, payment, charge };
  const call = askNetwork(permit.network, due).then(async (answer) =>
    // The charge is due anyway: a browser that asks often does not make the next attempt later.
    answer.outcome === "unknown"
      ? payment
      : await storeAnswer(service, permit.network, due, answer),
  );
  await withNetworkTimeout(service, { slot: slots.move(), sinceMs }, call);
}
