import {
  type CheckoutService,
  findPage,
  lookUpPage,
  toCheckoutPage,
  getStateOfPage,
  type CheckoutPage,
} from "./find-page.ts";
import { maskCard, takeCard } from "../payments/payment-state.ts";
import { toPrefill, readTypedCard, type CardMistakes, type TypedCard } from "./typed-card.ts";
import { authorize } from "../payments/ask-network.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";

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
