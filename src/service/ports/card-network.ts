import type { CardInput } from "../../contract/payment.ts";
import type {
  ActionOutcome,
  CancelOutcome,
  ChargeOutcome,
  LookUpOutcome,
  RefundOutcome,
  Unknown,
} from "../domain/charge-state.ts";

/**
 * A charge as a network is asked for it, with all that it may know of it. `id` is the payment's, and
 * the network's key to it.
 */
export type Charge = {
  id: string;
  accountId: string;
  amount: number;
  currency: string;
  description: string | null;
  customer: { email: string | null; name: string | null } | null;
  /** How the network calls it; null until it has said so. */
  reference: string | null;
  /** When it was begun, in Unix milliseconds. */
  begunAtMs: number;
};

/** Each thing is done once for a charge's id, however often it is asked for. No promise rejects. */
export type CardNetwork = {
  /** The country that a card's answers show: two letters. */
  countryOf(card: CardInput): string;
  /** A name for the charge, to be written before the card is sent; only where a network needs one. */
  prepare?(charge: Charge): Promise<{ outcome: "prepared"; reference: string } | Unknown>;
  charge(charge: Charge, card: CardInput): Promise<ChargeOutcome>;
  /** What has become of a charge. */
  lookUp(charge: Charge): Promise<LookUpOutcome>;
  /** Makes sure that a charge takes no money, or refunds what it took. */
  cancel(charge: Charge): Promise<CancelOutcome>;
  /** Gives the whole amount back. */
  refund(charge: Charge): Promise<RefundOutcome>;
};

/**
 * A network that decides in this process, and moves no money: nothing need be written before it is asked,
 * and it keeps nothing by a charge's id.
 */
export type LocalNetwork = CardNetwork & Named & { isLocal: true };

/** How a network is called in the log, and with what it was asked: no secret. */
type Named = { name: string };

/**
 * A card network that is asked by a limited number of requests at a time, shared by account, and hardly at all while
 * it fails.
 */
export type GuardedNetwork = Pick<CardNetwork, "countryOf"> &
  Named & {
    isLocal: false;
    /**
     * A slot to ask the network from, taken before anything is written. Undefined where none comes free in time, or the
     * network fails and its turn does not come in time.
     */
    admit(asking: PermitRequest): Promise<Permit | undefined>;
    /** Whether it fails, so that one request a second is let through. */
    isFailing(): boolean;
  };

/**
 * Who asks a network, and what for: to charge, or to settle, cancel or give back what was begun before. Money depends
 * on that: slots are kept for it, and while the network fails it goes first, and a charge is refused.
 */
export type PermitRequest = { accountId: string; purpose: "charge" | "settlement" };

/** The network, for the holder of a slot; disposing of this releases the slot. */
export type Permit = Disposable & { network: CardNetwork };

export type NetworkOperation = "prepare" | "charge" | "lookUp" | "cancel" | "refund";
export type NetworkOutcome = ActionOutcome | { outcome: "prepared"; reference: string };

/** Observes all that a network is asked, for metrics and the log. Nothing of it is card data. */
export type NetworkObserver = {
  answered: (answer: {
    operation: NetworkOperation;
    paymentId: string;
    outcome: NetworkOutcome;
    tookMs: number;
  }) => void;
  /** A request was rejected: no slot came free in time, or the breaker is open. */
  rejected: (reason: "no_place" | "breaker_open") => void;
  /** The breaker has opened, or closed again. */
  breaker: (state: "open" | "closed") => void;
};
