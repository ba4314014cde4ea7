import type { PaymentsService } from "./payments-store.ts";
import type { CardInput } from "../../contract/new-payment.ts";
import { nextChargeStep } from "./charge-state.ts";
import type { Payment, ProcessingPayment } from "./payment-state.ts";
import type { CardNetwork, GuardedNetwork, LocalNetwork } from "../networks/card-network.ts";
import type { Scope } from "../database/scope.ts";
import type { DueCharge, StoredCharge } from "./charges-sql.ts";
import {
  startCharge,
  storeAnswer,
  toCharge,
  withNetworkTimeout,
  type WaitingRequest,
} from "./ask-network.ts";

/** A new payment, and its charge where the outcome is not known yet. */
type Begun = {
  payment: Payment;
  charge: StoredCharge | undefined;
  /** Until then the same request waits for the network's answer; undefined where it has answered. */
  lockedUntilMs: number | undefined;
};

type Authorization<Written> = {
  scope: Scope;
  card: CardInput;
  /** The payment for a local network, which ignores the id. */
  draft: Parameters<typeof toCharge>[0]["payment"];
  /** Writes the payment, as `begin` gives it, with its charge. */
  write: (begin: (payment: ProcessingPayment) => Begun) => Promise<Written>;
  request?: WaitingRequest | undefined;
};

type Authorized<Written> = {
  written: Written;
  payment?: Payment;
  charged?: Promise<Payment | undefined>;
};

/**
 * Charges a card. A local network decides at once, and its decision is written in one commit with the payment. A
 * network that moves money is called after payment, charge and idempotency record are written: `charged` resolves to
 * the payment after that, or to undefined where the network takes too long. Returns undefined where the network is
 * busy: nothing was written.
 */
export function authorize<Written extends { outcome: string }>(
  service: PaymentsService,
  network: LocalNetwork | GuardedNetwork,
  authorization: Authorization<Written>,
): Promise<Authorized<Written> | undefined> {
  return network.isLocal
    ? decideAtOnce(service, network, authorization)
    : callNetwork(service, network, authorization);
}

async function decideAtOnce<Written extends { outcome: string }>(
  service: PaymentsService,
  network: LocalNetwork,
  { scope, card, draft, write }: Authorization<Written>,
): Promise<Authorized<Written>> {
  const charge = startCharge(network.name, service.clock());
  const answer = await network.charge(toCharge({ scope, payment: draft, charge }), card);
  let isChallenged = false;
  const written = await write((payment) => {
    const next = nextChargeStep({ payment, charge }, answer, service.clock());
    isChallenged = next.charge.challengeUrl !== null;
    const { pendingAction, reference } = next.charge;
    const isStored = pendingAction !== "none" || network.hasSpecialRefund(reference);
    return {
      payment: next.payment ?? payment,
      charge: isStored ? { ...charge, ...next.charge } : undefined,
      lockedUntilMs: undefined,
    };
  });
  if (isChallenged && written.outcome === "written") service.observeChallenge?.("begun");
  return { written };
}

async function callNetwork<Written extends { outcome: string }>(
  service: PaymentsService,
  network: GuardedNetwork,
  { scope, card, write, request }: Authorization<Written>,
): Promise<Authorized<Written> | undefined> {
  const sinceMs = performance.now();
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit = slots.use(await network.admit({ accountId, purpose: "charge" }));
  if (!permit) return undefined;
  const charge = startCharge(network.name, service.clock());
  let due: DueCharge | undefined;
  const written = await write((payment) => {
    due = { scope, payment, charge };
    return { payment, charge, lockedUntilMs: charge.dueAtMs };
  });
  if (written.outcome !== "written" || !due) return { written };
  const call = chargeCard(service, permit.network, due, card, request);
  const charged = withNetworkTimeout(service, { slot: slots.move(), sinceMs }, call);
  return { written, payment: due.payment, charged };
}

async function chargeCard(
  service: PaymentsService,
  network: CardNetwork,
  due: DueCharge,
  card: CardInput,
  request: WaitingRequest | undefined,
): Promise<Payment> {
  if (!network.prepare) {
    const answer = await network.charge(toCharge(due), card);
    return await storeAnswer(service, network, due, answer, request);
  }
  const prepared = await network.prepare(toCharge(due));
  if (prepared.outcome === "unknown")
    return await storeAnswer(service, network, due, prepared, request);
  const { reference } = prepared;
  const { scope, payment, charge } = due;
  const named = { ...due, charge: { ...charge, reference } };
  // The reference is stored before the card is sent: without it a lost answer could not be looked up.
  const outcome = await service.store.updateCharge({
    scope,
    paymentId: payment.id,
    from: "charge",
    charge: named.charge,
  });
  if (outcome === "conflict") {
    if (request) await service.store.releaseLock(scope, { ...request, response: undefined });
    return payment;
  }
  const answer = await network.charge(toCharge(named), card);
  return await storeAnswer(service, network, named, answer, request);
}
