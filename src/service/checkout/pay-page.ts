import { maskCard } from "../domain/mask-card.ts";
import type { CardInput } from "../../contract/payment.ts";
import { succeedPayment, takeCard, type ProcessingPayment } from "../domain/payment-state.ts";
import {
  toKeptCard,
  readTypedCard,
  type CardMistakes,
  type TypedCard,
} from "../domain/typed-card.ts";
import type { GuardedNetwork, LocalNetwork } from "../ports/card-network.ts";
import { chargeCard, toCharge, buildCharge, withNetworkTimeout } from "../payments/ask-network.ts";
import { settlementOf } from "../payments/create-payment.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import {
  findPage,
  lookUpPage,
  toCheckoutPage,
  getStateOfPage,
  type CheckoutPage,
} from "./find-page.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";

/** How long a payment is kept for the one who pays it: longer than a card network takes to answer. */
const claimMs = 30_000;

type Paying = { taken: ProcessingPayment; card: CardInput };

/**
 * `mistakes`: what was typed is no card; `busy`: the card network cannot be asked at the moment. Either way
 * nothing was charged, and the page is still open. Otherwise the page has, or had before, taken a card, or
 * cannot be paid any more: it shows which.
 */
export type PageAttempt =
  | ({ outcome: "mistakes"; mistakes: CardMistakes } & StillOpen)
  | ({ outcome: "busy" } & StillOpen)
  | { outcome: "closed" }
  | { outcome: "gone" };

type StillOpen = { kept: Pick<TypedCard, "expiry" | "name">; page: CheckoutPage };

/**
 * Pays a payment on its page with a card as it was typed. The page is claimed first, so that one of
 * many asks the network. Error: service_unavailable.
 */
export async function payPage(ports: Ports, token: string, typed: TypedCard): Promise<PageAttempt> {
  const found = await lookUpPage(ports, token);
  const state = getStateOfPage(found, ports.clock());
  if (!found || state === "gone" || state === "expired") return { outcome: "gone" };
  if (state !== "open") return { outcome: "closed" };
  const read = readTypedCard(typed, ports.clock());
  if ("mistakes" in read) {
    const page = await toCheckoutPage(ports, found);
    return { outcome: "mistakes", ...read, kept: toKeptCard(typed), page };
  }
  const network = ports.networkOf(found.scope);
  const card = maskCard(read.card, network.countryOf(read.card));
  const taken = takeCard(found.payment, card, read.card.holder_name ?? "");
  if (typeof taken === "string") return { outcome: "closed" };
  if (network.isLocal) {
    await decideHere(ports, found.scope, { network, taken, card: read.card });
    return { outcome: "closed" };
  }
  const outcome = await chargeElsewhere(ports, found.scope, { network, taken, card: read.card });
  if (outcome === "closed") return { outcome };
  const page = await findPage(ports, token); // somebody else may have found a place, and paid
  return page.state === "open" ? { outcome, kept: toKeptCard(typed), page } : { outcome: "closed" };
}

/** What is decided in this process closes the page together with what it decides. */
async function decideHere(
  ports: Ports,
  scope: Scope,
  { network, taken, card }: Paying & { network: LocalNetwork },
): Promise<void> {
  const { store, clock } = ports;
  const nowMs = clock();
  const untilMs = nowMs + claimMs;
  if (!(await store.claimPage(scope, taken.id, { nowMs, untilMs }))) return;
  const charge = buildCharge(network.name, nowMs);
  const decided = await network.charge(toCharge({ scope, payment: taken, charge }), card);
  const isApproved = decided.outcome === "approved";
  await store.closePage({
    scope,
    payment: isApproved ? succeedPayment(taken, taken.card, Math.floor(clock() / 1000)) : taken,
    event: isApproved ? buildEvent(ports) : undefined,
    settlement: settlementOf(decided, clock()),
    claimableAtMs: undefined,
  });
}

/**
 * The card that was taken, and its charge, are written before a network that moves money hears of them. The
 * page is kept for the network's answer while the claim lasts; then it may be canceled, or expire.
 */
async function chargeElsewhere(
  ports: Ports,
  scope: Scope,
  { network, taken, card }: Paying & { network: GuardedNetwork },
): Promise<"busy" | "closed"> {
  const sinceMs = performance.now();
  using places = new DisposableStack();
  const { accountId } = scope;
  const admission = places.use(await network.admit({ accountId, purpose: "charge" }));
  if (!admission) return "busy";
  const nowMs = ports.clock();
  const charge = buildCharge(network.name, nowMs);
  const claim = { nowMs, untilMs: nowMs + claimMs };
  if (!(await ports.store.chargePage({ scope, payment: taken, claim, charge }))) return "closed";
  const charged = chargeCard(ports, admission.network, { scope, payment: taken, charge }, card);
  await withNetworkTimeout(ports, { place: places.move(), sinceMs }, charged);
  return "closed";
}
