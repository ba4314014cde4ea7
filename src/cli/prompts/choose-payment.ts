import { ApiError } from "../../client/errors.ts";
import type { Payment } from "../../contract/payment.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list-object.ts";
import { formatMoney } from "../../contract/money.ts";
import { CommandError } from "../errors/command-error.ts";
import { isIdOf } from "../parse/checked-values.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { formatCount, formatLocalTime } from "../output/format.ts";
import { escapeControls } from "../output/safe-text.ts";
import { pageSize, type Prompter, type Choice, type SearchResult, canceled } from "./prompter.ts";

type Payments = {
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

/**
 * Asks whether to refund a payment. Errors: `canceled`, unless the answer is yes. In live mode the user types
 * the amount, so that no slip of a key refunds real money.
 */
export async function confirmRefund(prompter: Prompter, payment: Payment): Promise<void> {
  const amount = formatMoney(payment.amount, payment.currency);
  if (!payment.livemode) {
    if (await prompter.confirm(`Refund ${amount}?`)) return;
    throw canceled("Canceled; nothing was refunded.");
  }
  const typed = await prompter.text(`Live mode. Type the amount, ${amount}, to refund it:`);
  const answer = typed.trim().toUpperCase();
  if (answer === amount || answer === amount.split(" ", 1)[0]) return;
  throw canceled(
    answer === ""
      ? "Canceled; nothing was refunded."
      : `The typed amount is not ${amount}; nothing was refunded.`,
  );
}

const maxSearched = 1_000;

type Matches = {
  payments: Payment[];
  /** The number of payments searched so far. */
  searched: number;
  hasOlder: boolean;
};

/** Creates a search for payments by their text, which loads pages only when it needs them. */
export function createPaymentSearch(pages: AsyncIterator<PaymentList>) {
  const loaded: { payment: Payment; text: string }[] = [];
  let hasOlder = true;
  let loading: Promise<void> | undefined;

  async function loadPage(): Promise<void> {
    const { value, done } = await pages.next();
    if (done) hasOlder = false;
    else {
      loaded.push(...value.data.map((payment) => ({ payment, text: toText(payment) })));
      hasOlder = value.has_more;
    }
  }

  /** Concurrent searches share one request for a page. */
  async function loadMore(): Promise<void> {
    loading ??= loadPage().finally(() => (loading = undefined));
    await loading;
  }

  return {
    /** Finds the payments that contain every word, newest first, and loads pages until there are `enough`. */
    find: async (typed: string, enough: number, signal?: AbortSignal): Promise<Matches> => {
      const words = normalize(typed).split(/\s+/);
      for (;;) {
        const payments = loaded
          .filter(({ text }) => words.every((word) => text.includes(word)))
          .map(({ payment }) => payment);
        const needsMore = hasOlder && loaded.length < maxSearched && payments.length < enough;
        if (!needsMore || signal?.aborted) return { payments, searched: loaded.length, hasOlder };
        await loadMore();
      }
    },
  };
}

function toText({ id, customer, description, amount, currency }: Payment): string {
  const { email, name } = customer;
  const parts = [id, email, name, description ?? "", formatMoney(amount, currency), String(amount)];
  return normalize(escapeControls(parts.join("  ")));
}

function normalize(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}
