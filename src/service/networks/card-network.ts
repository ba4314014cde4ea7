import type { DeclineCode } from "../../contract/field-values.ts";
import type { CardInput } from "../../contract/payment.ts";

/** A charge as it is requested of a network. `id` is the payment's, and the network's key to the charge. */
export type Charge = {
  id: string;
  accountId: string;
  amount: number;
  currency: string;
  description: string | null;
  customer: { email: string | null; name: string | null } | null;
  /**
   * The address to which the bank sends the customer's browser back; null without a payment page: nobody can be asked.
   */
  returnUrl: string | null;
  /** The network's own name for it; null until the network has answered. */
  reference: string | null;
  /** The last four digits of the charged card, where they are known. */
  last4?: string | undefined;
  /** When it was begun, in Unix milliseconds. */
  begunAtMs: number;
};

/** Each operation is idempotent by the charge's id. No promise rejects. */
export type CardNetwork = {
  /** The country of a card: two letters. */
  countryOf(card: CardInput): string;
  /** A name for the charge, to be written before the card is sent; only where a network needs one. */
  prepare?(charge: Charge): Promise<{ outcome: "prepared"; reference: string } | Unknown>;
  charge(charge: Charge, card: CardInput): Promise<ChargeOutcome>;
  lookUp(charge: Charge): Promise<LookUpOutcome>;
  /** Makes sure that a charge takes no money, or refunds what it took. */
  cancel(charge: Charge): Promise<CancelOutcome>;
  /** Gives the whole amount back. */
  refund(charge: Charge): Promise<RefundOutcome>;
};

/**
 * A network that decides in this process, and moves no money: it stores nothing, so no charge need be written before
 * a call.
 */
export type LocalNetwork = CardNetwork &
  Named & {
    isLocal: true;
    /** The outcome of a challenge that the customer has approved or declined. */
    endChallenge(isApproved: boolean): ChargeOutcome;
    /** Whether the refund of an approved charge depends on its reference, so that the charge must be stored. */
    hasSpecialRefund(reference: string | null): boolean;
  };

/** The network's name in the log and in stored charges: no secret. */
type Named = { name: string };

/** A card network behind a semaphore, whose slots are shared by account, and a circuit breaker. */
export type GuardedNetwork = Pick<CardNetwork, "countryOf"> &
  Named & {
    isLocal: false;
    /**
     * A slot to call the network, acquired before anything is written. Undefined where no slot is free in time, or
     * the circuit breaker does not let the request through in time.
     */
    admit(asking: PermitRequest): Promise<Permit | undefined>;
    /**
     * Whether the circuit breaker is open, which lets one request a second through. New charges that fail alone are
     * limited by themselves, and don't count.
     */
    isFailing(): boolean;
  };

/**
 * The account and purpose of a call: a new charge, or the settlement, cancellation or refund of an earlier one.
 * Settlement has slots reserved for it; while the circuit breaker is open it goes first, and charges are refused.
 */
export type PermitRequest = { accountId: string; purpose: "charge" | "settlement" };

/** The network, for the holder of a slot; disposing of this releases the slot. */
export type Permit = Disposable & { network: CardNetwork };

export type NetworkOperation = "prepare" | "charge" | "lookUp" | "cancel" | "refund";
export type NetworkOutcome = ActionOutcome | { outcome: "prepared"; reference: string };

/** Observes every call of a network, for metrics and the log. It is given no card data. */
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

/**
 * The outcome is not known, and the call is repeated. `reason` holds no card data. `isUnsent`: the request was not
 * sent. `isRefused`: the network refused our secret, so an operator has to act. `isInvalid`: the network works, but
 * rejects this request. `isMismatched`: the answer is about another charge, so an operator has to act.
 */
export type Unknown = {
  outcome: "unknown";
  reason: string;
  isUnsent?: true;
  isRefused?: true;
  isInvalid?: true;
  isMismatched?: true;
};

/** `isMasked`: the network's reference or code held a card number, which is masked. */
type Masked = { isMasked?: true };

type Processing = Masked & {
  outcome: "processing";
  reference?: string;
  retryAfterMs: number;
};

/** `networkCode`: the network's own code, for the log, where none of ours translates it. */
export type Declined = Masked & { outcome: "declined"; code: DeclineCode; networkCode?: string };

export type ChargeOutcome =
  | (Masked & { outcome: "approved"; reference: string })
  | Declined
  | Action
  | Processing
  | Unknown;

/** `not_found`: the network never received that charge. */
export type LookUpOutcome = ChargeOutcome | { outcome: "canceled" } | { outcome: "not_found" };

export type CancelOutcome = { outcome: "canceled" } | Processing | Unknown;

export type RefundOutcome =
  | (Masked & { outcome: "refunded"; reference: string })
  | Declined
  | Processing
  | Unknown;

export type ActionOutcome = LookUpOutcome | CancelOutcome | RefundOutcome;

/** The bank asks the customer, on a page of its own; `url` is null where no browser can be sent there. */
type Action = Masked & {
  outcome: "action";
  reference: string;
  url: string | null;
  retryAfterMs: number;
};

type Call<R extends unknown[], O> = (charge: Charge, ...rest: R) => Promise<O | Unknown>;

/** The same network, with each of its operations wrapped. */
export function wrapOperations(
  network: CardNetwork,
  wrap: <R extends unknown[], O extends NetworkOutcome>(
    operation: NetworkOperation,
    call: Call<R, O>,
  ) => Call<R, O>,
): CardNetwork {
  const prepare = network.prepare?.bind(network);
  return {
    ...network,
    ...(prepare && { prepare: wrap("prepare", prepare) }),
    charge: wrap("charge", network.charge.bind(network)),
    lookUp: wrap("lookUp", network.lookUp.bind(network)),
    cancel: wrap("cancel", network.cancel.bind(network)),
    refund: wrap("refund", network.refund.bind(network)),
  };
}

/** A charge of 1.00 EUR with which a network is tried. */
export function buildTrialCharge(id: string, returnUrl: string | null = null): Charge {
  return {
    id,
    accountId: "acct_check",
    amount: 100,
    currency: "eur",
    description: "payments network check",
    customer: null,
    returnUrl,
    reference: null,
    begunAtMs: Date.now(),
  };
}
