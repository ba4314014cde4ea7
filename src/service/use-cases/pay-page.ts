import { maskCard } from "../domain/card.ts";
import { succeed, takeCard } from "../domain/payment.ts";
import { keptOf, readTypedCard, type CardMistakes, type TypedCard } from "../domain/typed-card.ts";
import { settlementOf } from "./create-payment.ts";
import { lookUp, shownPage, stateOfPage, type ShownPage } from "./find-page.ts";
import type { AuthorizationAnswer, FoundPage, Ports } from "./ports.ts";

/** How long a payment is kept for the one who pays it: longer than a card network takes to answer. */
const claimMs = 30_000;

/**
 * `mistakes`: what was typed is no card, nothing was charged, and the page is still open. Otherwise
 * the page has, or had before, taken a card, or cannot be paid any more: it shows which.
 */
export type PageAttempt =
  | {
      outcome: "mistakes";
      mistakes: CardMistakes;
      kept: Pick<TypedCard, "expiry" | "name">;
      page: ShownPage;
    }
  | { outcome: "closed" }
  | { outcome: "gone" };

/**
 * Pays a payment on its page with a card as it was typed. The page is claimed first, so that one of
 * many asks the network; it is asked by the payment's id, so that one who comes after a crash does
 * not charge again. Errors: service_unavailable, and the page is open again.
 */
export async function payPage(ports: Ports, token: string, typed: TypedCard): Promise<PageAttempt> {
  const found = await lookUp(ports, token);
  const state = stateOfPage(found, ports.clock());
  if (!found || state === "gone") return { outcome: "gone" };
  if (state !== "open") return { outcome: "closed" };
  const read = readTypedCard(typed, ports.clock());
  if ("mistakes" in read) {
    const page = await shownPage(ports, found);
    return { outcome: "mistakes", ...read, kept: keptOf(typed), page };
  }
  const network = ports.networkOf(found.scope);
  const card = maskCard(read.card, network.countryOf(read.card));
  const taken = takeCard(found.payment, card, read.card.holder_name ?? "");
  if (typeof taken === "string") return { outcome: "closed" };

  const authorized = await claimed(ports, found, async () =>
    network.authorize({
      idempotencyKey: taken.id,
      amount: taken.amount,
      currency: taken.currency,
      card: read.card,
      atMs: ports.clock(),
    }),
  );
  if (!authorized) return { outcome: "closed" };
  await ports.store.closePage({
    scope: found.scope,
    payment:
      authorized.outcome === "approved"
        ? succeed(taken, taken.card, Math.floor(ports.clock() / 1000))
        : taken,
    settlement: settlementOf(authorized),
    unclaimedAtMs: undefined,
  });
  return { outcome: "closed" };
}

/** Authorizes while the page is this payer's alone; undefined where it is somebody else's. */
async function claimed(
  { store, clock }: Ports,
  { scope, payment }: FoundPage,
  authorize: () => Promise<AuthorizationAnswer>,
): Promise<AuthorizationAnswer | undefined> {
  const nowMs = clock();
  const untilMs = nowMs + claimMs;
  if (!(await store.claimPage(scope, payment.id, { nowMs, untilMs }))) return undefined;
  try {
    return await authorize();
  } catch (error) {
    await store.releasePage(scope, payment.id, untilMs).catch(() => {}); // it runs out by itself
    throw error;
  }
}
