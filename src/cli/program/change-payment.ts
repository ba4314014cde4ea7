import { randomUUID } from "node:crypto";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, ConnectionError, PaymentsError } from "../../client/errors.ts";
import type { WriteOptions } from "../../client/request.ts";
import { formatMoney, isTypedAmount } from "../../contract/money.ts";
import type { PaymentList } from "../../contract/list-payments.ts";
import type { Payment, PaymentStatus } from "../../contract/payment.ts";
import { formatCustomer } from "../../contract/search-words.ts";
import { escapeControls } from "../../runtime/text.ts";
import { checkId, checkIdempotencyKey, isIdOf } from "../flags/checked-values.ts";
import { CommandError, UnclearWrite, usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { formatLocalTime } from "../output/style.ts";
import { type Choice, type Prompter, type SearchResult, canceled } from "../prompts/prompter.ts";
import {
  type PaymentSource,
  type SearchTiming,
  createNewestPayments,
  createPaymentSearch,
} from "../prompts/search-history.ts";
import type { BaseCommand } from "./base-command.ts";
import {
  type WriteFlags,
  noteSimulator,
  noteTarget,
  resolveSafeSettings,
  withClient,
} from "./connection.ts";

type Flags = WriteFlags & { yes: boolean; "no-input"?: boolean };

/** Changes one payment, which a user may choose, and confirms. */
export async function changePayment(
  command: BaseCommand,
  { typedId, flags }: { typedId: string | undefined; flags: Flags },
  change: PaymentChange,
  send: (client: PaymentsClient, id: string, write: WriteOptions) => Promise<Payment>,
): Promise<void> {
  const { noun, participle, status } = change;
  const output = command.parseOutput(flags);
  const canPrompt = command.canPrompt(flags, output);
  const id = checkId(paymentResource, typedId, "<id>");
  if (id === undefined && !canPrompt) {
    throw usageError(
      `Missing the id of the payment.${flags.yes ? "" : ` ${noun} also needs --yes where it cannot be confirmed at a prompt.`}`,
      `payments list --status ${status} shows them.`,
    );
  }
  if (!flags.yes && !canPrompt) {
    throw usageError(
      `${noun} needs --yes where it cannot be confirmed at a prompt. Nothing was ${participle}.`,
      "Add --yes.",
    );
  }
  const idempotencyKey = checkIdempotencyKey(flags["idempotency-key"] ?? randomUUID());
  const settings = await resolveSafeSettings(command, flags);
  const changed = await withClient(command, flags, settings, async (client) => {
    const { payments } = client;
    const payment =
      id === undefined
        ? await choosePayment(await command.openPrompter(), payments, change)
        : await payments.retrieve(id).catch((error: unknown) => {
            if (error instanceof ConnectionError && !error.sent) error.sayNothingWasSent();
            throw error;
          });
    if (command.isHumanOutput(output)) {
      const { formatItem } = await import("../output/resource-text.ts");
      command.note(`${formatItem(paymentResource, payment, command.errorStyle)}\n`);
    }
    noteTarget(command, settings, output);
    noteSimulator(command, settings, output);
    const confirms = !flags.yes && change.mayChange(payment);
    if (confirms)
      await confirmChange(await command.openPrompter(), payment, change, command.place?.text);
    using interruption = watchInterruption({ hasPrompted: confirms || id === undefined });
    try {
      return await send(client, payment.id, { idempotencyKey, signal: interruption.signal });
    } catch (error) {
      // Repeated as it was typed, the command would offer other payments than the chosen one.
      const isUnclear = error instanceof PaymentsError && error.outcomeUnknown;
      throw isUnclear && id === undefined ? new UnclearWrite(error, payment.id) : error;
    }
  });
  noteSimulator(command, settings, output);
  await command.showPayment(changed, output);
}

/** A change of one payment that a command asks about first, and its words. */
export type PaymentChange = {
  verb: "refund" | "cancel";
  /** With its article, at the beginning of a sentence. */
  noun: string;
  participle: string;
  /** The payments that can be changed, in words and by their status. */
  kind: string;
  status: PaymentStatus;
  /** Whether a payment is offered where the user chooses one. */
  isOffered: (payment: Payment) => boolean;
  /** Whether the service may change a payment; if not, it says why without a question before. */
  mayChange: (payment: Payment) => boolean;
  ask: (amount: string) => string;
  /** The error after an answer that is not yes. */
  refused: string;
};

export const refunding: PaymentChange = {
  verb: "refund",
  noun: "A refund",
  participle: "refunded",
  kind: "succeeded payment",
  status: "succeeded",
  isOffered: ({ status }) => status === "succeeded",
  // A pending one may succeed at any moment.
  mayChange: ({ status }) => status === "succeeded" || status === "pending",
  ask: (amount) => `Refund ${amount}?`,
  refused: "Canceled; nothing was refunded.",
};

export const canceling: PaymentChange = {
  verb: "cancel",
  noun: "A cancellation",
  participle: "canceled",
  kind: "pending payment with an open page",
  status: "pending",
  isOffered: ({ status, redirect_url: page, card }) =>
    status === "pending" && page !== null && card === null,
  mayChange: ({ status, redirect_url: page }) => status === "pending" && page !== null,
  ask: (amount) => `Cancel the payment of ${amount}?`,
  refused: "You did not confirm; the payment was not canceled.",
};

/**
 * Asks whether to change a payment. Errors: `canceled`, unless the answer is yes. In live mode the user types the
 * amount, so that no slip of a key changes a real payment. `place`: where, where there are several contexts.
 */
export async function confirmChange(
  prompter: Prompter,
  payment: Payment,
  { verb, ask, participle, refused }: PaymentChange,
  place?: string,
): Promise<void> {
  const amount = formatMoney(payment.amount, payment.currency);
  if (!payment.livemode) {
    if (await prompter.confirm(ask(amount))) return;
    throw canceled(refused);
  }
  const what = place === undefined ? "Live mode." : ask(`${amount} in ${place}`);
  await confirmAmount(prompter, payment, {
    question: `${what} Type the amount, ${amount}, to ${verb} it:`,
    refused,
    wrong: `The typed amount is not ${amount}; nothing was ${participle}.`,
  });
}

const maxTries = 3;

/**
 * Has the user type an amount. A wrong one is asked again, twice; Enter alone is no, at once. Errors: `canceled`, with
 * `refused` after Enter alone, else with `wrong`.
 */
export async function confirmAmount(
  prompter: Prompter,
  { amount, currency }: { amount: number; currency: string },
  { question, refused, wrong }: Record<"question" | "refused" | "wrong", string>,
): Promise<void> {
  let tries = 0;
  const isAmount = (text: string) => isTypedAmount(text, amount, currency);
  const findMistake = (text: string) => {
    if (text.trim() === "" || isAmount(text) || ++tries === maxTries) return undefined;
    return `That is not ${formatMoney(amount, currency)}. Type it again, or Enter alone to cancel.`;
  };
  // Enter alone would send a wrong amount again that was left there.
  const typed = await prompter.text(question, findMistake, { clears: true });
  if (!isAmount(typed)) throw canceled(typed.trim() === "" ? refused : wrong);
}

type Payments = PaymentSource & { retrieve: (id: string) => Promise<Payment> };

/** `pay_` and a UUID. */
const wholeIdLength = 40;

/** Asks which payment to change, among those that can be. Errors: `not_found`, if there is none. */
export async function choosePayment(
  prompter: Prompter,
  payments: Payments,
  change: PaymentChange,
  timing?: SearchTiming,
): Promise<Payment> {
  const source: PaymentSource = {
    pages: (query, ...rest) =>
      keepChangeable(payments.pages({ status: change.status, ...query }, ...rest), change),
  };
  const newest = createNewestPayments(source.pages({}));
  if ((await newest.find("", 1)).payments.length === 0) {
    throw new CommandError(
      "not_found",
      `There is no ${change.kind} to ${change.verb}.`,
      "payments list shows all payments; payments mode shows the current mode.",
    );
  }
  const search = createPaymentSearch(newest, source, timing);
  return await prompter.search({
    question: "Which payment?",
    searchable: "part of an id, e-mail, name, description or amount",
    find: async function* (typed, signal) {
      const id = typed.trim();
      if (id.length < wholeIdLength || !isIdOf(paymentResource, id)) {
        for await (const { payments: found, isPartial, note } of search(typed, signal)) {
          yield { choices: toChoices(found, typed), isPartial, note };
        }
        return;
      }
      const { payments: loaded } = await newest.find(id, 0);
      yield loaded.length > 0
        ? { choices: toChoices(loaded) }
        : await findById(payments, id, change);
    },
  });
}

async function* keepChangeable(
  pages: AsyncGenerator<PaymentList>,
  { isOffered }: PaymentChange,
): AsyncGenerator<PaymentList> {
  for await (const page of pages) yield { ...page, data: page.data.filter(isOffered) };
}

/** Finds a payment older than the searched ones; the note says why another one cannot be changed. */
async function findById(
  payments: Payments,
  id: string,
  change: PaymentChange,
): Promise<SearchResult<Payment>> {
  try {
    const payment = await payments.retrieve(id);
    if (change.isOffered(payment)) return { choices: toChoices([payment]) };
    const note = `This payment is ${payment.status}; only a ${change.kind} can be ${change.participle}.`;
    return { choices: [], note };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return { choices: [], note: "There is no payment with this id." };
  }
}

function toChoices(payments: Payment[], typed = ""): Choice<Payment>[] {
  const amounts = payments.map(({ amount, currency }) => formatMoney(amount, currency));
  const width = Math.max(...amounts.map(({ length }) => length));
  return payments.map((payment, at) => {
    const { id, card, created, customer, description } = payment;
    const cells = [
      amounts[at]?.padStart(width) ?? "",
      shorten(formatCustomer(customer, typed)),
      card ? escapeControls(`${card.brand} ${card.last4}`) : "",
      formatLocalTime(created).slice(0, "2026-11-21 13:59".length),
      shorten(description ?? ""),
    ];
    return { value: payment, cells, detail: escapeControls(id) };
  });
}

function shorten(text: string): string {
  const characters = [...escapeControls(text)];
  return characters.length <= 30 ? characters.join("") : `${characters.slice(0, 29).join("")}…`;
}
