import { paymentIdPattern, paymentStatuses } from "../../contract/payment-values.ts";
import type { TransactionType } from "../../contract/transaction-type.ts";
import type { AmountUnit, ColumnMap } from "../parse/reconcile-flags.ts";
import { parseAmount, parseCurrency } from "./parse-amount.ts";
import {
  assertSameMode,
  checkId,
  findColumn,
  findOptionalColumn,
  parseSeconds,
  parseUtc,
  type FoundColumn,
} from "./report-column.ts";
import { ReportMistake, type ReportLine } from "./report-line.ts";
import { stripeTypes } from "./stripe-types.ts";

export type ReportOptions = {
  /** The user's own names of the columns. */
  map?: ColumnMap | undefined;
  /** The file's words for the types of lines, besides those that are known. */
  types: ReadonlyMap<string, TransactionType>;
  /** Overrides what a known layout says; required with a map. */
  amounts?: AmountUnit | undefined;
  /** The mode of the payments to compare. */
  livemode: boolean;
};

/** Reads the cells of the row that begins on a line of the file. Errors: ReportMistake. */
export type RowReader = (cells: readonly string[], line: number) => ReportLine[];

const stripeId = "payment_metadata[payment_id]";

/**
 * Finds out from the names of the columns how to read the rows: as `options.map` says, else as Stripe's itemized
 * "Balance change from activity", or as this command's own CSV of payments. Undefined where the names are not known.
 * Errors: ReportMistake, where a column is missing or named twice.
 */
export function recognizeColumns(
  header: readonly string[],
  options: ReportOptions,
): RowReader | undefined {
  const { map } = options;
  if (map) return readMapped(header, map, options);
  const has = (...names: string[]) => names.every((name) => header.includes(name));
  if (has("reporting_category", "gross", "currency")) return readStripe(header, options);
  if (has("id", "status", "amount", "currency")) return readPayments(header, options);
  return undefined;
}

function readMapped(
  header: readonly string[],
  map: ColumnMap,
  { types, amounts }: ReportOptions,
): RowReader {
  if (amounts === undefined) throw new ReportMistake("--amounts must say minor or major");
  const payment = findColumn(header, map.payment);
  const amount = findColumn(header, map.amount);
  const currency = findColumn(header, map.currency);
  const type = findColumn(header, map.type);
  return (cells, line) => {
    const lineType = findType(cells, type, types);
    if (lineType === "other") return [passOver(line)];
    const code = currency.read(cells, parseCurrency);
    return [
      {
        payment: payment.read(cells, (text) => checkId(text)),
        type: lineType,
        amount: amount.read(cells, (text) =>
          toUnsigned(parseAmount(text, code, amounts), lineType),
        ),
        currency: code,
        created: null,
        line,
      },
    ];
  };
}

function readStripe(
  header: readonly string[],
  { types, amounts = "major" }: ReportOptions,
): RowReader {
  if (!header.includes(stripeId)) {
    throw new ReportMistake(`The column ${stripeId} is missing, which names the payment.`, {
      hint: `Let Stripe's report have the column ${stripeId}: the metadata of payments, with the key payment_id.`,
    });
  }
  const payment = findColumn(header, stripeId);
  const type = findColumn(header, "reporting_category");
  const settled = {
    amount: findColumn(header, "gross"),
    currency: findColumn(header, "currency"),
  };
  // Stripe converts what was charged in another currency than the account's: these say what the customer paid.
  const charged = {
    amount: findOptionalColumn(header, "customer_facing_amount"),
    currency: findOptionalColumn(header, "customer_facing_currency"),
  };
  const created = findOptionalColumn(header, "created_utc");
  return (cells, line) => {
    const lineType = findType(cells, type, types);
    if (lineType === "other") return [passOver(line)];
    const facing = charged.currency?.get(cells) ?? "";
    const isConverted =
      facing !== "" && facing.toLowerCase() !== settled.currency.get(cells).toLowerCase();
    const columns =
      isConverted && charged.amount && charged.currency
        ? { amount: charged.amount, currency: charged.currency }
        : settled;
    const code = columns.currency.read(cells, parseCurrency);
    return [
      {
        // A charge that this service did not make has no such metadata.
        payment: payment.read(cells, (text) => (text === "" ? "" : checkId(text))),
        type: lineType,
        amount: columns.amount.read(cells, (text) =>
          toUnsigned(parseAmount(text, code, amounts), lineType),
        ),
        currency: code,
        created: created?.read(cells, parseUtc) ?? null,
        line,
      },
    ];
  };
}

/** A row of `payments list -o csv` is a payment: its charge, and where it is refunded its refund. */
function readPayments(
  header: readonly string[],
  { amounts = "minor", livemode }: ReportOptions,
): RowReader {
  const payment = findColumn(header, "id");
  const status = findColumn(header, "status");
  const amount = findColumn(header, "amount");
  const currency = findColumn(header, "currency");
  const created = findOptionalColumn(header, "created");
  const mode = findOptionalColumn(header, "livemode");
  return (cells, line) => {
    mode?.read(cells, (text) => assertSameMode(text, livemode));
    const code = currency.read(cells, parseCurrency);
    const common = {
      payment: payment.read(cells, (text) => checkId(text, paymentIdPattern)),
      amount: amount.read(cells, (text) => toUnsigned(parseAmount(text, code, amounts), "charge")),
      currency: code,
      created: created?.read(cells, parseSeconds) ?? null,
      line,
    };
    const state = status.read(cells, (text) => {
      const known = paymentStatuses.find((each) => each === text);
      if (known) return known;
      throw new ReportMistake(`is none of ${paymentStatuses.join(", ")}`);
    });
    switch (state) {
      case "succeeded":
        return [{ ...common, type: "charge" }];
      case "refunded":
        return [
          { ...common, type: "charge" },
          { ...common, type: "refund" },
        ];
      default:
        return [{ ...common, type: state }];
    }
  };
}

function passOver(line: number): ReportLine {
  return { payment: "", type: "other", amount: 0, currency: "", created: null, line };
}

function findType(
  cells: readonly string[],
  column: FoundColumn,
  types: ReadonlyMap<string, TransactionType>,
): TransactionType {
  return column.read(cells, (text) => {
    const type = types.get(text) ?? stripeTypes.get(text) ?? stripeTypes.get(text.toLowerCase());
    if (type) return type;
    throw new ReportMistake(text === "" ? "is empty" : "is no known type of a line", {
      hint: '--types says what the file\'s words mean, such as --types "charge=Sale,refund=Credit,other=Payout"; lines of the type other are passed over.',
    });
  });
}

/** Banks write what they take back with a minus or without one, but nobody charges less than nothing. */
function toUnsigned(amount: number, type: TransactionType): number {
  if (amount < 0 && type === "charge") throw new ReportMistake("is negative, but of a charge");
  return Math.abs(amount);
}
