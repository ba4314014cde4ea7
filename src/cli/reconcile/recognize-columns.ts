import {
  paymentIdPattern,
  paymentStatuses,
  type TransactionType,
} from "../../contract/field-values.ts";
import type { Encoding } from "../flags/read-text.ts";
import type { AmountUnit, ColumnMap, Decimal } from "./reconcile-flags.ts";
import {
  assertMark,
  parseCurrency,
  parseMark,
  readAmount,
  toMinor,
  type AmountForm,
  type WrittenAmount,
} from "./parse-amount.ts";
import {
  type FoundColumn,
  type ReportLine,
  ReportMistake,
  assertSameMode,
  checkId,
  findColumn,
  findId,
  findOptionalColumn,
  parseSeconds,
  parseUtc,
  stripeTypes,
} from "./report-line.ts";

export type ReportOptions = {
  /** The user's own names of the columns. */
  map?: ColumnMap | undefined;
  /** The file's words for the types of lines, besides those that are known. */
  types: ReadonlyMap<string, TransactionType>;
  /** Overrides what the file, or a known layout, says. */
  amounts?: AmountUnit | undefined;
  decimal?: Decimal | undefined;
  encoding?: Encoding | undefined;
  /** The mode of the payments to compare. */
  livemode: boolean;
};

/** Reads the cells of the row that begins on a line of the file. Errors: ReportMistake. */
type RowReader = (cells: readonly string[], line: number) => ReportLine[];

/** The amount of a row, as written, and its currency; the type of its line where a column says it. */
type Money = {
  written: WrittenAmount;
  currency: string;
  column: FoundColumn;
  type?: TransactionType | undefined;
};

/** Which columns a file has, before it is known how it writes its amounts. */
export type Columns = {
  /** The amount of a row; undefined where the row is passed over. Errors: ReportMistake. */
  findMoney: (cells: readonly string[]) => Money | undefined;
  /** The unit of this layout's amounts where the user says none; undefined: the amounts say it. */
  defaultUnit: AmountUnit | undefined;
  createReader: (form: AmountForm) => RowReader;
};

const stripeId = "payment_metadata[payment_id]";

/**
 * Finds out from the names of the columns how to read the rows: as `options.map` says, else as Stripe's itemized
 * "Balance change from activity", or as this command's own CSV of payments. Undefined where the names are not known.
 * Errors: ReportMistake, where a column is missing or named twice.
 */
export function recognizeColumns(
  header: readonly string[],
  options: ReportOptions,
): Columns | undefined {
  const { map } = options;
  if (map) {
    return useColumns(
      {
        payment: findColumn(header, map.payment),
        amount: findColumn(header, map.amount),
        currency: findColumn(header, map.currency),
        type: map.type === undefined ? undefined : findColumn(header, map.type),
      },
      options,
      (text) => findId(text) ?? checkId(text),
    );
  }
  const has = (...names: string[]) => names.every((name) => header.includes(name));
  if (has("reporting_category", "gross", "currency")) return useStripe(header, options);
  if (has("id", "status", "amount", "currency")) return usePayments(header, options);
  return undefined;
}

export type ChosenColumns = {
  payment: FoundColumn;
  amount: FoundColumn;
  /** Undefined: each amount names its currency. */
  currency: FoundColumn | undefined;
  /** Undefined: plus is a charge, minus a refund. */
  type: FoundColumn | undefined;
};

/** Reads a file of a bank's own layout. `parseId` gives an empty text for a row that is about no payment. */
export function useColumns(
  { payment, amount, currency, type }: ChosenColumns,
  { types }: ReportOptions,
  parseId: (text: string) => string,
): Columns {
  const findMoney: Columns["findMoney"] = (cells) => {
    const lineType = type && findType(cells, type, types);
    return lineType === "other" ? undefined : readMoney(cells, { amount, currency }, lineType);
  };
  return {
    findMoney,
    defaultUnit: undefined,
    createReader: (form) => (cells, line) => {
      const money = findMoney(cells);
      if (!money) return [passOver(line)];
      return [
        {
          payment: payment.read(cells, parseId),
          type: money.type ?? (money.written.isNegative ? "refund" : "charge"),
          amount: toAmount(cells, money, form),
          currency: money.currency,
          created: null,
          line,
        },
      ];
    },
  };
}

function useStripe(header: readonly string[], { types }: ReportOptions): Columns {
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
  const findMoney: Columns["findMoney"] = (cells) => {
    const lineType = findType(cells, type, types);
    if (lineType === "other") return undefined;
    const facing = charged.currency?.get(cells) ?? "";
    const isConverted =
      facing !== "" && facing.toLowerCase() !== settled.currency.get(cells).toLowerCase();
    const columns =
      isConverted && charged.amount && charged.currency
        ? { amount: charged.amount, currency: charged.currency }
        : settled;
    return readMoney(cells, columns, lineType);
  };
  return {
    findMoney,
    defaultUnit: "major",
    createReader: (form) => (cells, line) => {
      const money = findMoney(cells);
      if (!money) return [passOver(line)];
      return [
        {
          // A charge that this service did not make has no such metadata.
          payment: payment.read(cells, (text) => (text === "" ? "" : checkId(text))),
          type: money.type ?? "other",
          amount: toAmount(cells, money, form),
          currency: money.currency,
          created: created?.read(cells, parseUtc) ?? null,
          line,
        },
      ];
    },
  };
}

/** A row of `payments list -o csv` or `--spreadsheet` is a payment: its charge, and where it is refunded its refund. */
function usePayments(header: readonly string[], { livemode }: ReportOptions): Columns {
  const payment = findColumn(header, "id");
  const status = findColumn(header, "status");
  const amount = findColumn(header, "amount");
  const currency = findColumn(header, "currency");
  const created = findOptionalColumn(header, "created");
  const mode = findOptionalColumn(header, "livemode");
  const findMoney = (cells: readonly string[]) => readMoney(cells, { amount, currency }, "charge");
  return {
    findMoney,
    defaultUnit: header.some((name) => /^created \(/i.test(name)) ? "major" : "minor",
    createReader: (form) => (cells, line) => {
      mode?.read(cells, (text) => assertSameMode(text, livemode));
      const money = findMoney(cells);
      const common = {
        payment: payment.read(cells, (text) => checkId(text, paymentIdPattern)),
        amount: toAmount(cells, money, form),
        currency: money.currency,
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
    },
  };
}

function passOver(line: number): ReportLine {
  return { payment: "", type: "other", amount: 0, currency: "", created: null, line };
}

function readMoney(
  cells: readonly string[],
  { amount, currency: column }: Pick<ChosenColumns, "amount" | "currency">,
  type: TransactionType | undefined,
): Money {
  const code = column?.read(cells, parseCurrency);
  return amount.read(cells, (text) => {
    const written = readAmount(text);
    const currency = code ?? parseMark(written.mark);
    assertMark(written.mark, currency);
    return { written, currency, column: amount, type };
  });
}

/**
 * The amount without its sign. Banks write what they take back with a minus or without one, but nobody charges less
 * than nothing.
 */
function toAmount(
  cells: readonly string[],
  { written, currency, column, type }: Money,
  form: AmountForm,
): number {
  return column.read(cells, () => {
    const minor = toMinor(written, currency, form);
    if (minor < 0 && type === "charge") throw new ReportMistake("is negative, but of a charge");
    return Math.abs(minor);
  });
}

function findType(
  cells: readonly string[],
  column: FoundColumn,
  types: ReadonlyMap<string, TransactionType>,
): TransactionType {
  return column.read(cells, (text) => {
    const type = parseType(text, types);
    if (type) return type;
    throw new ReportMistake(text === "" ? "is empty" : "is no known type of a line", {
      hint: '--types says what the file\'s words mean, such as --types "charge=Sale,refund=Credit,other=Payout"; lines of the type other are passed over.',
    });
  });
}

/** The type that a word stands for; undefined where it is not known. */
export function parseType(
  text: string,
  types: ReadonlyMap<string, TransactionType>,
): TransactionType | undefined {
  return types.get(text) ?? stripeTypes.get(text) ?? stripeTypes.get(text.toLowerCase());
}
