import type { TransactionType } from "../../contract/field-values.ts";
import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/text.ts";
import { converting } from "../flags/read-text.ts";

/** A line of the bank's books. */
export type ReportLine = {
  /** The payment's id; empty where the line has none. */
  payment: string;
  /** `pending` and `failed`: a CSV of this command lists a payment for which no money moved. */
  type: TransactionType | "pending" | "failed";
  /** In minor units, without a sign. */
  amount: number;
  currency: string;
  /** In Unix seconds; null where the books do not say. */
  created: number | null;
  /** The line of the file on which the row begins; null for a network's. */
  line: number | null;
};

/** A file of the bank's that cannot be compared; the message says what is wrong with the line, or with its column. */
export class ReportMistake extends Error {
  override name = "ReportMistake";
  readonly column: string | undefined;
  readonly hint: string | undefined;
  /** Left out by the readers of cells, which do not know the line: `addLineNumber` adds it. */
  readonly line: number | undefined;

  constructor(
    message: string,
    { column, hint, line }: Partial<Pick<ReportMistake, "column" | "hint" | "line">> = {},
  ) {
    super(message);
    this.column = column;
    this.hint = hint;
    this.line = line;
  }
}

/** Adds the line to a mistake that does not say which line it is about. */
export function addLineNumber(error: unknown, line: number): unknown {
  if (!(error instanceof ReportMistake) || error.line !== undefined) return error;
  const { message, column, hint } = error;
  return new ReportMistake(message, { column, hint, line });
}

// The columns of a report, and what their cells may hold besides amounts and currencies.

const maxIdLength = 255;

/** The character as which a byte that is not UTF-8 was read: only where a cell is needed does it matter. */
export const unreadable = "\ufffd";
export const sayEncoding = `Say which encoding it has, such as --encoding windows-1252 or latin1; or ${converting}`;

/** Finds a column by its name. Errors: ReportMistake, where it is missing or there twice. */
export function findColumn(header: readonly string[], name: string): FoundColumn {
  const index = header.indexOf(name);
  if (index === -1) {
    const isUnreadable = header.some((each) => each.includes(unreadable));
    throw new ReportMistake("is missing", {
      column: name,
      ...(isUnreadable && { hint: sayEncoding }),
    });
  }
  if (header.includes(name, index + 1)) {
    throw new ReportMistake("is there twice", { column: name });
  }
  return takeColumn(header, index);
}

/** The column at a place of the header. */
export function takeColumn(header: readonly string[], index: number) {
  const name = header[index]?.trim() || `no. ${index + 1}`;
  const get = (cells: readonly string[]) => cells[index] ?? "";
  return {
    name,
    get,
    /** Parses the cell; a mistake in it gets the column's name. */
    read: <T>(cells: readonly string[], parse: (text: string) => T): T => {
      try {
        return parse(get(cells));
      } catch (error) {
        if (!(error instanceof ReportMistake)) throw error;
        throw get(cells).includes(unreadable)
          ? new ReportMistake("is not text in UTF-8", { column: name, hint: sayEncoding })
          : new ReportMistake(error.message, { column: name, hint: error.hint });
      }
    },
  };
}

export type FoundColumn = ReturnType<typeof takeColumn>;

const maxListedColumns = 30;

/** The names of a file's columns, for an error. */
export function listColumns(header: readonly string[]): string {
  if (header.length === 0) return "";
  const names = header.slice(0, maxListedColumns).map(describeName);
  const more = header.length - names.length;
  return `Its columns are: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
}

/** A column's name as an error may repeat it: a file without a header has its first row there. */
export function describeName(name: string): string {
  return mask(escapeControls(name.length > 60 ? `${name.slice(0, 60)}…` : name));
}

/** As `findColumn`; undefined where it is missing. */
export function findOptionalColumn(
  header: readonly string[],
  name: string,
): FoundColumn | undefined {
  return header.includes(name) ? findColumn(header, name) : undefined;
}

const idInText =
  /(?<![\p{L}\p{N}_])pay_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\p{L}\p{N}_])/giu;

export function containsId(text: string): boolean {
  return /pay_/i.test(text) && text.search(idInText) !== -1;
}

/** Finds the payment's id in a longer text, in any case; undefined where there is none. Errors: there are several. */
export function findId(text: string): string | undefined {
  if (!/pay_/i.test(text)) return undefined;
  const [id, ...more] = new Set(text.match(idInText)?.map((each) => each.toLowerCase()));
  if (more.length === 0) return id;
  throw new ReportMistake("has the ids of several payments");
}

/** Errors: ReportMistake, where a text is empty, too long, or not of the pattern. */
export function checkId(text: string, pattern?: RegExp): string {
  if (text.trim() === "") throw new ReportMistake("is empty");
  if (text.includes(unreadable)) throw new ReportMistake("is not text in UTF-8");
  if (text.length > maxIdLength) {
    throw new ReportMistake(`is longer than ${maxIdLength} characters`);
  }
  if (pattern?.test(text) ?? true) return text;
  throw new ReportMistake("is no payment's id, such as pay_0199…");
}

/** How spreadsheets write truth values in the languages of the payment pages. */
const truths: Record<"true" | "false", string[]> = {
  true: ["true", "wahr", "vrai", "vero", "verdadero", "waar"],
  false: ["false", "falsch", "faux", "falso", "onwaar"],
};

/** Errors: ReportMistake, where a row says another mode. A spreadsheet writes the words in capitals. */
export function assertSameMode(text: string, livemode: boolean): void {
  const word = text.trim().toLowerCase();
  if (truths[`${livemode}`].includes(word)) return;
  const [found, compared] = livemode ? ["test", "live"] : ["live", "test"];
  if (!truths[`${!livemode}`].includes(word)) {
    throw new ReportMistake("is neither true nor false");
  }
  throw new ReportMistake(`says a ${found} payment, but ${compared} payments are compared`, {
    hint: `Use --mode ${found}, or a file of ${compared} payments.`,
  });
}

export function parseSeconds(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new ReportMistake("is no time in Unix seconds");
}

/** Parses a time as Stripe writes it, 2026-11-01 09:30:00, into Unix seconds. */
export function parseUtc(text: string): number {
  const [, date, time = "00:00:00"] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?Z?$/.exec(text) ?? [];
  const atMs = Date.parse(`${date}T${time}Z`);
  if (!Number.isNaN(atMs)) return Math.floor(atMs / 1000);
  throw new ReportMistake("is no time such as 2026-11-01 09:30:00");
}

/**
 * Stripe's reporting categories, which an adapter's words are among. A part of an authorization that was not captured
 * goes back to the customer as a refund does; no other category moves a payment's money.
 */
export const stripeTypes: ReadonlyMap<string, TransactionType> = new Map<string, TransactionType>([
  ["charge", "charge"],
  ["charge_failure", "charge_failure"],
  ["refund", "refund"],
  ["partial_capture_reversal", "refund"],
  ["refund_failure", "refund_failure"],
  ["dispute", "dispute"],
  ["dispute_reversal", "dispute_reversal"],
  ...[
    "advance",
    "advance_funding",
    "anticipation_repayment",
    "climate_order_purchase",
    "climate_order_refund",
    "connect_collection_transfer",
    "connect_reserved_funds",
    "contribution",
    "fee",
    "fee_credit_funding",
    "financing_paydown",
    "financing_paydown_reversal",
    "financing_payout",
    "financing_payout_reversal",
    "issuing_authorization_hold",
    "issuing_authorization_release",
    "issuing_disbursement",
    "issuing_dispute",
    "issuing_dispute_fraud_liability_debit",
    "issuing_dispute_provisional_credit",
    "issuing_dispute_provisional_credit_reversal",
    "issuing_transaction",
    "minimum_balance_hold",
    "minimum_balance_release",
    "network_cost",
    "other",
    "other_adjustment",
    "payment_network_reserve_hold",
    "payment_network_reserve_release",
    "payout",
    "payout_minimum_balance_hold",
    "payout_minimum_balance_release",
    "payout_reversal",
    "platform_earning",
    "platform_earning_refund",
    "reserve_hold",
    "reserve_release",
    "risk_reserved_funds",
    "stripe_balance_payment_debit",
    "stripe_balance_payment_debit_reversal",
    "tax",
    "topup",
    "topup_reversal",
    "transfer",
    "transfer_reversal",
    "unreconciled_customer_funds",
  ].map((category) => [category, "other"] as const),
]);
