import { ApiError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list-object.ts";
import { formatMoney } from "../../contract/money.ts";
import { CommandError } from "../errors/command-error.ts";
import { isIdOf } from "../parse/checked-values.ts";
import { paymentKind } from "../output/kinds.ts";
import { formatCount, formatLocalTime } from "../output/format.ts";
import { escapeControls } from "../output/safe-text.ts";
import { screenful, type Prompter, type Choice, type Found } from "./prompter.ts";
import { maxSearched, createPaymentSearch, type Matches } from "./recent-payments.ts";

export type Payments = {
  pages: (query: ListPaymentsQuery) => AsyncIterator<PaymentList>;
  retrieve: (id: string) => Promise<Payment>;
};

const mostShown = 100;
/** `pay_` and a UUID. */
const wholeIdLength = 40;

/** Asks which of the recent succeeded payments is meant. Error: there is none (exit 5). */
export async function choosePayment(asker: Prompter, payments: Payments): Promise<Payment> {
  const recent = createPaymentSearch(payments.pages({ status: "succeeded" }));
  const any = await recent.matching("", 1);
  if (any.payments.length === 0) {
    throw new CommandError(
      "not_found",
      "There is no succeeded payment to refund.",
      "payments list shows what there is; payments mode says in which mode you look.",
    );
  }
  return await asker.search({
    question: "Which payment?",
    searchable: "part of an id, e-mail, name, description or amount",
    find: async (typed, signal) => {
      const id = typed.trim();
      const isWhole = id.length >= wholeIdLength && isIdOf(paymentKind, id);
      const matches = await recent.matching(typed, isWhole ? 0 : screenful, signal);
      if (isWhole && matches.payments.length === 0) return await foundById(payments, id);
      return { choices: choicesOf(matches.payments.slice(0, mostShown)), note: noteOn(matches) };
    },
  });
}

/** Older than those that are searched, or none that can be refunded. */
async function foundById(payments: Payments, id: string): Promise<Found<Payment>> {
  try {
    const payment = await payments.retrieve(id);
    if (payment.status === "succeeded") return { choices: choicesOf([payment]) };
    const note = `This payment is ${payment.status}; only a succeeded one can be refunded.`;
    return { choices: [], note };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return { choices: [], note: "There is no payment with this id." };
  }
}

function choicesOf(payments: Payment[]): Choice<Payment>[] {
  const amounts = payments.map(({ amount, currency }) => formatMoney(amount, currency));
  const longest = Math.max(...amounts.map(({ length }) => length));
  return payments.map((payment, at) => {
    const { id, card, created, customer, description } = payment;
    const cells = [
      amounts[at]?.padStart(longest) ?? "",
      short(customer.email || customer.name),
      card ? escapeControls(`${card.brand} ${card.last4}`) : "",
      formatLocalTime(created).slice(0, "2026-11-21 13:59".length),
      short(description ?? ""),
    ];
    return { value: payment, cells, detail: escapeControls(id) };
  });
}

function noteOn({ payments, searched, older }: Matches): string | undefined {
  const { length: count } = payments;
  if (count > mostShown) return `Only the newest ${mostShown} of them are shown.`;
  if (older && searched >= maxSearched && count < screenful) {
    return `Only the newest ${formatCount(maxSearched)} are searched; an older one is found by its whole id.`;
  }
  return count === 0 ? "Nothing matches." : undefined;
}

/** The beginning of a text, for a cell. */
function short(text: string): string {
  const characters = [...escapeControls(text)];
  return characters.length <= 30 ? characters.join("") : `${characters.slice(0, 29).join("")}…`;
}
