import { isCardNumber } from "../../contract/card-in-text.ts";
import { currencies, currencySigns, getExponent } from "../../contract/money.ts";
import type { AmountUnit, Decimal } from "./reconcile-flags.ts";
import { ReportMistake } from "./report-line.ts";

// Nothing is guessed here: a text that could be read in two ways is a mistake of the file.

/** The digits of an amount before and behind its decimal separator. */
export type Reading = { whole: string; fraction: string };

/** An amount as a file has it. */
export type WrittenAmount = {
  isNegative: boolean;
  /** The sign or code of a currency beside the amount, as written; empty where there is none. */
  mark: string;
  /** Its value by each decimal separator; undefined where it cannot be read so. */
  readings: Record<Decimal, Reading | undefined>;
};

/** How a file writes its amounts. */
export type AmountForm = {
  unit: AmountUnit;
  /** Undefined where no amount has a separator that could be read in two ways. */
  decimal?: Decimal | undefined;
  /** How the decimal separator is known, for an error: behind "a decimal comma". */
  because: string;
};

/** The usual form of amounts: one or two decimals can be no group. */
const simpleForm = /^(-?)(\d{1,13})(?:([.,])(\d{1,2}))?$/;
/** Signs, parentheses and a currency may stand on both sides of the digits. */
const amountParts = /^([^\d]*)(\d(?:[\d.,' ]*\d)?)([^\d]*)$/;
const signForm = /^(?:[-+]?\||\|[-+]|\(\|\))$/;
const markForm = /^(?:\p{L}{0,3}\p{Sc}|\p{L}{1,3}\.?)?$/u;
/** Groups of three are parted by one and the same separator, which is not the decimal one. */
const forms: Record<Decimal, RegExp> = {
  point: /^(\d{1,18}|[1-9]\d{0,2}(?:([,' ])\d{3})(?:\2\d{3}){0,5})(?:\.(\d{1,6}))?$/,
  comma: /^(\d{1,18}|[1-9]\d{0,2}(?:([.' ])\d{3})(?:\2\d{3}){0,5})(?:,(\d{1,6}))?$/,
};

/** Reads an amount in every way in which it may be meant. Errors: ReportMistake, where it is none. */
export function readAmount(text: string): WrittenAmount {
  const [, minus, whole, separator, fraction = ""] = simpleForm.exec(text) ?? [];
  if (whole !== undefined) {
    const reading = { whole, fraction };
    const [point, comma] = [
      separator === "," ? undefined : reading,
      separator === "." ? undefined : reading,
    ];
    return { isNegative: minus === "-", mark: "", readings: { point, comma } };
  }
  const plain = text
    .trim()
    .replaceAll(/\p{Zs}/gu, " ")
    .replaceAll(/[’‘]/g, "'")
    .replaceAll("\u2212", "-");
  if (plain === "") throw new ReportMistake("is empty");
  const [, before = "", digits = "", behind = ""] = amountParts.exec(plain) ?? [];
  const around = `${before}|${behind}`.replaceAll(" ", "");
  const signs = around.replaceAll(/[^-+()|]/g, "");
  const mark = around.replaceAll(/[-+()|]/g, "");
  const isOneMark = /^[-+()]*\||\|[-+()]*$/.test(around) && markForm.test(mark);
  const readings = { point: match(digits, "point"), comma: match(digits, "comma") };
  if (!isOneMark || !signForm.test(signs) || (!readings.point && !readings.comma)) {
    throw new ReportMistake("is no amount such as 1234.50, 1.234,50 or -€12.50");
  }
  return { isNegative: /[-(]/.test(signs), mark, readings };
}

function match(digits: string, decimal: Decimal): Reading | undefined {
  const [, whole, , fraction = ""] = forms[decimal].exec(digits) ?? [];
  return whole === undefined ? undefined : { whole: whole.replaceAll(/\D/g, ""), fraction };
}

/** Whether a reading has no more decimals than the currency, but for zeros. */
function isExact({ fraction }: Reading, currency: string): boolean {
  const decimals = getExponent(currency.toUpperCase());
  return fraction.length <= decimals || /^0*$/.test(fraction.slice(decimals));
}

/** Parses an amount into minor units; negative where it has a minus. Errors: ReportMistake. */
export function toMinor(
  { isNegative, readings }: WrittenAmount,
  currency: string,
  { unit, decimal, because }: AmountForm,
): number {
  const reading = decimal ? readings[decimal] : chooseReading(readings, unit);
  if (!reading) {
    throw new ReportMistake(`is no amount with a decimal ${decimal}, ${because}`);
  }
  const code = currency.toUpperCase();
  const decimals = unit === "minor" ? 0 : getExponent(code);
  if (unit === "minor" && reading.fraction !== "") {
    throw new ReportMistake("has decimals, but amounts in minor units have none", {
      hint: "--amounts major reads amounts such as 49.99.",
    });
  }
  if (!isExact(reading, code)) {
    throw new ReportMistake(`has more decimals than ${code}, which has ${decimals}`);
  }
  const fraction = reading.fraction.slice(0, decimals).padEnd(decimals, "0");
  const amount = Number(reading.whole + fraction);
  if (!Number.isSafeInteger(amount)) throw new ReportMistake("is too large for an amount");
  if (isCardNumber(amount)) throw new ReportMistake("is a card number");
  return isNegative ? -amount : amount;
}

/** Of an amount in minor units a separator can only part groups. */
function chooseReading({ point, comma }: WrittenAmount["readings"], unit: AmountUnit) {
  if (unit === "minor" && point?.fraction !== "" && comma?.fraction === "") return comma;
  return point ?? comma;
}

/** The signs of this service's currencies; a file may name another currency by its code. */
const ownSigns = Object.fromEntries(
  Object.entries(currencySigns).map(([currency, sign]) => [sign, currency]),
);

/** The currency that an amount names itself. Errors: ReportMistake, where it names none. */
export function parseMark(mark: string): string {
  const own = ownSigns[mark];
  if (own !== undefined) return own;
  if (mark === "") {
    throw new ReportMistake("names no currency, and the file has no column that does");
  }
  return parseCurrency(mark);
}

/** Errors: ReportMistake, where an amount names another currency than the one of its row. */
export function assertMark(mark: string, currency: string): void {
  if (mark === "" || mark.toLowerCase() === currency || listSigns(currency).includes(mark)) return;
  throw new ReportMistake(`is not in ${currency.toUpperCase()}, as its row says`);
}

const knownSigns = new Map<string, string[]>();

/** The signs of currencies besides their codes: $, US$, kr, kr. */
function listSigns(currency: string): string[] {
  const known = knownSigns.get(currency);
  if (known) return known;
  const signs = (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) => {
    const format = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay });
    const sign = format.formatToParts(0).find(({ type }) => type === "currency")?.value ?? "";
    return [sign, `${sign}.`];
  });
  knownSigns.set(currency, signs);
  return signs;
}

/** The codes seen so far, as they were written; `Intl` is for other currencies than this service's only. */
const knownCodes = new Map<string, string>(currencies.map((code) => [code, code]));
let isoCodes: Set<string> | undefined;

/** Parses a currency's code, in any case, into lowercase. Errors: ReportMistake. */
export function parseCurrency(text: string): string {
  const known = knownCodes.get(text);
  if (known !== undefined) return known;
  const code = text.trim().toLowerCase();
  isoCodes ??= new Set(Intl.supportedValuesOf("currency"));
  if (!/^[a-z]{3}$/.test(code) || !isoCodes.has(code.toUpperCase())) {
    throw new ReportMistake(code === "" ? "is empty" : "is no currency's code, such as eur");
  }
  knownCodes.set(text, code);
  return code;
}

type Known = { decimal?: Decimal | undefined; unit?: AmountUnit | undefined };
type Ambiguous = { line: number; column: string; hint: string; message: string };

const other = { point: "comma", comma: "point" } as const;

/**
 * Finds out how a file writes its amounts, from those that can be read in one way only. `known` is what the user said
 * of them; `defaultUnit` is the layout's.
 */
export function createAmountFormFinder(known: Known, defaultUnit: AmountUnit | undefined) {
  let { decimal } = known;
  let because = "as --decimal says";
  let ambiguous: Ambiguous | undefined;
  const hasDecimals = { point: false, comma: false };
  // With --decimal the user says that there may be decimals.
  const unit = known.unit ?? defaultUnit ?? (decimal && "major");
  return {
    /** Whether further amounts would tell nothing. */
    isDone: (): boolean =>
      unit === "minor" || (decimal !== undefined && (unit !== undefined || hasDecimals[decimal])),
    see: (
      written: WrittenAmount,
      place: { currency: string; line: number; column: string },
    ): void => {
      const { point, comma } = written.readings;
      hasDecimals.point ||= (point?.fraction ?? "") !== "";
      hasDecimals.comma ||= (comma?.fraction ?? "") !== "";
      const { currency, line, column } = place;
      const isPoint = point !== undefined && isExact(point, currency);
      const isComma = comma !== undefined && isExact(comma, currency);
      if (decimal !== undefined || isSame(point, comma)) return;
      if (isPoint && isComma) {
        ambiguous ??= { line, column, ...describeReadings(written, point, comma, currency) };
      } else if (isPoint || isComma) {
        decimal = isPoint ? "point" : "comma";
        because = `as in line ${line}`;
      }
    },
    /** Errors: ReportMistake, where the amounts may be meant in two ways. */
    find: (): AmountForm => {
      if (unit === "minor") return { unit, decimal, because };
      if (decimal === undefined && ambiguous) {
        throw new ReportMistake(ambiguous.message, ambiguous);
      }
      const hasAny = decimal ? hasDecimals[decimal] : hasDecimals.point || hasDecimals.comma;
      if (unit === undefined && !hasAny) {
        throw new ReportMistake("has no amount with decimals, so 4999 may be 4999.00 or 49.99", {
          hint: "--amounts major reads 4999.00, --amounts minor reads 49.99.",
        });
      }
      return { unit: "major", decimal, because };
    },
  };
}

function isSame(point: Reading | undefined, comma: Reading | undefined): boolean {
  return point?.whole === comma?.whole && point?.fraction === comma?.fraction;
}

function describeReadings(
  { isNegative }: WrittenAmount,
  point: Reading,
  comma: Reading,
  currency: string,
) {
  const exponent = getExponent(currency.toUpperCase());
  const show = ({ whole, fraction }: Reading) => {
    const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
    const decimals = fraction.slice(0, exponent).padEnd(exponent, "0");
    return `${isNegative ? "-" : ""}${groups}${decimals === "" ? "" : `.${decimals}`}`;
  };
  const separator = point.fraction === "" ? "," : ".";
  const shorter = point.fraction === "" ? comma : point;
  const grouped: Decimal = point.fraction === "" ? "point" : "comma";
  const [whole, part] = [show(grouped === "point" ? point : comma), show(shorter)];
  const written = `${isNegative ? "-" : ""}${shorter.whole}${separator}${shorter.fraction}`;
  return {
    message: `has ${written}, which may be ${whole} or ${part}, and no amount of the file says which`,
    hint: `--decimal ${grouped} reads ${whole}, --decimal ${other[grouped]} reads ${part}.`,
  };
}
