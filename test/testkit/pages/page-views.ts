import type { CardMistakes } from "../../../src/service/checkout/typed-card.ts";
import type {
  ChallengeView,
  OpenView,
  OutcomeView,
  PageView,
} from "../../../src/service/web/checkout/page-view.ts";

/** A payment that waits for its card, by default in live mode. */
export function openView(changes: Partial<OpenView> = {}): OpenView {
  return {
    state: "open",
    reference: "pay_0192d3c4-7b1a-7f00-8000-3f2a1b4c5d6e",
    merchant: null,
    amount: 4999,
    currency: "eur",
    description: "Order 1042: two tickets, Saturday",
    livemode: true,
    language: "en",
    action: "/pay/token",
    cancelAction: "/pay/token/cancel",
    nowMs: Date.UTC(2026, 10, 22),
    mistakes: {},
    isBankBusy: false,
    prefill: { expiry: "", name: "" },
    ...changes,
  };
}

/** A payment that is no longer open, by default in live mode. */
export function outcomeView(
  state: OutcomeView["state"],
  changes: Partial<OutcomeView> = {},
): OutcomeView {
  return {
    state,
    reference: "pay_0192d3c4-7b1a-7f00-8000-3f2a1b4c5d6e",
    merchant: null,
    amount: 4999,
    currency: "eur",
    description: "Order 1042: two tickets, Saturday",
    livemode: true,
    language: "en",
    receipt: state === "paid" ? receipt : null,
    declineCode: state === "declined" ? "insufficient_funds" : null,
    wasChargeRequested: state !== "canceled" && state !== "expired",
    bankUrl: isAtBank(state) ? "https://bank.example/confirm?id=1" : null,
    returnTo: isUndecided(state) ? null : "https://shop.example/orders/1042?payment_id=pay_1",
    cancelAction: state === "overdue" || isAtBank(state) ? "/pay/token/cancel" : null,
    ...changes,
  };
}

const receipt = {
  paidAt: Date.UTC(2026, 10, 22, 18, 5) / 1000,
  brand: "visa",
  last4: "4242",
};

function isUndecided(state: OutcomeView["state"]): boolean {
  return state === "processing" || state === "overdue" || isAtBank(state);
}

function isAtBank(state: OutcomeView["state"]): boolean {
  return state === "at_bank" || state === "returned";
}

const challengeView: ChallengeView = {
  state: "challenge",
  merchant: "Books & Co",
  amount: 4999,
  currency: "eur",
  description: "Order 1042: two tickets, Saturday",
  livemode: false,
  language: "en",
  action: "/pay/token/challenge",
};

const mistakes: CardMistakes = {
  number: "number_wrong",
  expiry: "expiry_month",
  cvc: "cvc_back",
};

/** The page in every state that a customer may see. */
export const everyView: Record<string, PageView> = {
  open: openView(),
  "open for a merchant": openView({ merchant: "Books & Co" }),
  "open in test mode": openView({ livemode: false, merchant: "Books & Co" }),
  "open with mistakes": openView({
    mistakes,
    prefill: { expiry: "13 / 30", name: "Ada Lovelace" },
  }),
  "open while the bank is busy": openView({
    isBankBusy: true,
    prefill: { expiry: "12 / 30", name: "Ada" },
  }),
  processing: outcomeView("processing"),
  "at the bank": outcomeView("at_bank", { merchant: "Books & Co" }),
  "back from the bank": outcomeView("returned"),
  challenge: challengeView,
  overdue: outcomeView("overdue"),
  paid: outcomeView("paid"),
  "paid to a merchant": outcomeView("paid", { merchant: "Books & Co" }),
  "paid in test mode": outcomeView("paid", { livemode: false, returnTo: null }),
  declined: outcomeView("declined"),
  "declined for a merchant": outcomeView("declined", { merchant: "Books & Co" }),
  canceled: outcomeView("canceled"),
  "canceled by the merchant": outcomeView("canceled", {
    declineCode: "canceled",
  }),
  "canceled after a charge was requested": outcomeView("canceled", { wasChargeRequested: true }),
  expired: outcomeView("expired", { merchant: "Books & Co" }),
  "expired without a return URL": outcomeView("expired", { returnTo: null }),
  gone: { state: "gone", language: "en" },
  refused: { state: "refused", language: "en" },
  unavailable: { state: "unavailable", language: "en" },
};
