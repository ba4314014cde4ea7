import { askNetwork, authorize, storeAnswer, withNetworkTimeout } from "../payments/ask-network.ts";
import { toReturnUrl } from "../payments/hosted-page-state.ts";
import type { FoundPage } from "../payments/payments-sql.ts";
import { maskCard, takeCard } from "../payments/payment-state.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";
import {
  type CheckoutPage,
  type CheckoutService,
  findPage,
  getStateOfPage,
  isOwnChallenge,
  lookUpPage,
  toCheckoutPage,
} from "./find-page.ts";
import { type CardMistakes, type TypedCard, readTypedCard, toPrefill } from "./typed-card.ts";

/** How long a page is claimed for one customer: longer than a card network takes to answer. */
const claimMs = 30_000;

/**
 * `mistakes`: the form is wrong; `busy`: the card network cannot be called at the moment. In both cases nothing was
 * charged, and the page is still open. `closed`: a card was charged, now or before, or the payment has ended.
 */
type PageAttempt =
  | ({ outcome: "mistakes"; mistakes: CardMistakes } & StillOpen)
  | ({ outcome: "busy" } & StillOpen)
  | { outcome: "closed" }
  | { outcome: "gone" };

type StillOpen = { prefill: Pick<TypedCard, "expiry" | "name">; page: CheckoutPage };

/**
 * Pays a payment on its page with a card as it was typed. The page is claimed first, so that only one of several
 * requests calls the network. Error: service_unavailable.
 */
export async function payPage(
  service: CheckoutService,
  token: string,
  typed: TypedCard,
): Promise<PageAttempt> {
  const found = await lookUpPage(service, token);
  const state = getStateOfPage(found, service.clock());
  if (!found || state === "gone" || state === "expired") return { outcome: "gone" };
  if (state !== "open") return { outcome: "closed" };
  const read = readTypedCard(typed, service.clock());
  if ("mistakes" in read) {
    const page = await toCheckoutPage(service, found);
    return { outcome: "mistakes", ...read, prefill: toPrefill(typed), page };
  }
  const network = service.networkOf(found.scope);
  const card = maskCard(read.card, network.countryOf(read.card));
  const processing = takeCard(found.payment, card, read.card.holder_name ?? "");
  if (typeof processing === "string") return { outcome: "closed" };
  const { scope } = found;
  const authorized = await authorize(service, network, {
    scope,
    card: read.card,
    draft: processing,
    write: async (begin) => {
      const { payment, charge, lockedUntilMs } = begin(processing);
      const nowMs = service.clock(); // after a slot has come free, which may take seconds
      // A page whose customer goes to the bank stays open, and can be canceled at once.
      const openMs = lockedUntilMs !== undefined ? claimMs : charge?.challengeUrl ? 0 : undefined;
      const claim = { nowMs, untilMs: openMs === undefined ? undefined : nowMs + openMs };
      const event = payment.status === "pending" ? undefined : buildEvent(service);
      const isOurs = await service.store.chargePage({ scope, payment, claim, charge, event });
      return { outcome: isOurs ? "written" : "conflict" };
    },
  });
  if (authorized) {
    await authorized.charged;
    return { outcome: "closed" };
  }
  const page = await findPage(service, token); // another customer may have had a slot, and paid
  return page.state === "open"
    ? { outcome: "busy", prefill: toPrefill(typed), page }
    : { outcome: "closed" };
}

/**
 * The challenge page of the simulator, which stands in for a bank's; `closed` where its payment is not at that bank.
 */
export async function findChallenge(
  service: CheckoutService,
  token: string,
): Promise<CheckoutPage | "closed" | "gone"> {
  const page = await findPage(service, token);
  if (page.state === "gone") return "gone";
  return page.state === "at_bank" && isOwnChallenge(page) ? page : "closed";
}

/** Ends the simulator's challenge as the customer decides, once. */
export async function endChallenge(
  service: CheckoutService,
  token: string,
  { isApproved }: { isApproved: boolean },
): Promise<"closed" | "gone"> {
  const found = await lookUpPage(service, token);
  const state = getStateOfPage(found, service.clock());
  if (!found || state === "gone" || state === "expired") return "gone";
  if (state !== "at_bank") return "closed";
  const { scope, payment } = found;
  const charge = await service.store.findCharge(scope, payment.id);
  if (charge?.network !== service.simulator.name || charge.challengeUrl === null) return "closed";
  const due = { scope, payment, charge };
  await storeAnswer(service, service.simulator, due, service.simulator.endChallenge(isApproved));
  return "closed";
}

/** How often the browsers that come back to one page make the service ask the network. */
const intervalMs = 1_000;

/**
 * Asks the network about a customer who has come back from the bank, and writes what it knows by now. Without an
 * answer in time the charge is settled later, like every other.
 */
async function askAboutChallenge(
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

/**
 * Sends on a customer who leaves the page for the merchant, or comes back from the bank. An address: the payment's
 * return URL, with its status. `page`: the page itself, which is open, shows the outcome of a challenge, or has no
 * return URL. `waiting`: the bank has not answered yet. `asks`: whether the network is asked about a challenge; coming
 * back proves nothing.
 */
export async function returnFromPage(
  service: CheckoutService,
  token: string,
  { asks }: { asks: boolean },
): Promise<{ address: string } | { waiting: CheckoutPage } | "page" | "gone"> {
  let found = await lookUpPage(service, token);
  if (found && asks && getStateOfPage(found, service.clock()) === "at_bank") {
    await askAboutChallenge(service, found);
    found = await lookUpPage(service, token);
  }
  const page = await toCheckoutPage(service, found);
  if (page.state === "gone") return "gone";
  if (page.state === "at_bank") return { waiting: page };
  if (page.state === "open" || page.wasChallenged || page.returnUrl === null) return "page";
  return { address: toReturnUrl(page.returnUrl, page.payment) };
}
