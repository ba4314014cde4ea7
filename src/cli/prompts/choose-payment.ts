import { ApiError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list-object.ts";
import { formatMoney } from "../../contract/money.ts";
import { CommandError } from "../errors/command-error.ts";
import { isIdOf } from "../parse/checked-values.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { formatCount, formatLocalTime } from "../output/format.ts";
import { escapeControls } from "../output/safe-text.ts";
import { pageSize, type Prompter, type Choice, type SearchResult } from "./prompter.ts";
import { maxSearched, createPaymentSearch, type Matches } from "./payment-search.ts";

export type Payments = {
  pages: (query: ListPaymentsQuery) => AsyncIterator<PaymentList>;
  retrieve: (id: string) => Promise<Payment>;
};

const maxShown = 100;
/** `pay_` and a UUID. */
const wholeIdLength = 40;

/** Asks which of the recent succeeded payments to refund. Errors: `not_found`, if there is none. */
export async function choosePayment(prompter: Prompter, payments: Payments): Promise<Payment> {
  const search = createPaymentSearch(payments.pages({ status: "succeeded" }));
  if ((await search.find("", 1)).payments.length === 0) {
    throw new CommandError(
      "not_found",
      "There is no succeeded payment to refund.",
      "payments list shows all payments; payments mode shows the current mode.",
    );
  }
  return await prompter.search({
    question: "Which payment?",
    searchable: "part of an id, e-mail, name, description or amount",
    find: async (typed, signal) => {
      const id = typed.trim();
      const isWhole = id.length >= wholeIdLength && isIdOf(paymentResource, id);
      const matches = await search.find(typed, isWhole ? 0 : pageSize, signal);
      if (isWhole && matches.payments.length === 0) return await findById(payments, id);
      return {
        choices: toChoices(matches.payments.slice(0, maxShown)),
        note: describeMatches(matches),
      };
    },
  });
}

/** Finds a payment older than the searched ones; the note says why another one cannot be refunded. */
async function findById(payments: Payments, id: string): Promise<SearchResult<Payment>> {
  try {
    const payment = await payments.retrieve(id);
    if (payment.status === "succeeded") return { choices: toChoices([payment]) };
    const note = `This payment is ${payment.status}; only a succeeded one can be refunded.`;
    return { choices: [], note };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return { choices: [], note: "There is no payment with this id." };
  }
}

function toChoices(payments: Payment[]): Choice<Payment>[] {
  const amounts = payments.map(({ amount, currency }) => formatMoney(amount, currency));
  const width = Math.max(...amounts.map(({ length }) => length));
  return payments.map((payment, at) => {
    const { id, card, created, customer, description } = payment;
    const cells = [
      amounts[at]?.padStart(width) ?? "",
      shorten(customer.email || customer.name),
      card ? escapeControls(`${card.brand} ${card.last4}`) : "",
      formatLocalTime(created).slice(0, "2026-11-21 13:59".length),
      shorten(description ?? ""),
    ];
    return { value: payment, cells, detail: escapeControls(id) };
  });
}

function describeMatches({ payments, searched, hasOlder }: Matches): string | undefined {
  const { length: count } = payments;
  if (count > maxShown) return `Only the newest ${maxShown} of them are shown.`;
  if (hasOlder && searched >= maxSearched && count < pageSize) {
    return `Only the newest ${formatCount(maxSearched)} are searched; an older one is found by its whole id.`;
  }
  return count === 0 ? "Nothing matches." : undefined;
}

function shorten(text: string): string {
  const characters = [...escapeControls(text)];
  return characters.length <= 30 ? characters.join("") : `${characters.slice(0, 29).join("")}…`;
}
