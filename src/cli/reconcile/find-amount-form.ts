import { getExponent } from "../../contract/field-values.ts";
import type { AmountUnit, Decimal } from "./reconcile-flags.ts";
import { isExact, type AmountForm, type Reading, type WrittenAmount } from "./parse-amount.ts";
import { ReportMistake } from "./report-line.ts";

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
