import { isCardNumber } from "../../contract/card-in-text.ts";
import { getExponent } from "../../contract/money.ts";
import { currencies } from "../../contract/payment-values.ts";
import type { AmountUnit } from "../parse/reconcile-flags.ts";
import { ReportMistake } from "./report-line.ts";

// Nothing is guessed here: a text that could be read in two ways is a mistake of the file.

const amountForm = /^(-?)(\d{1,18})(?:\.(\d{1,6}))?$/;

/** Parses an amount into minor units; negative where it has a minus. Errors: ReportMistake. */
export function parseAmount(text: string, currency: string, unit: AmountUnit): number {
  if (text === "") throw new ReportMistake("is empty");
  const [, sign = "", whole = "", fraction = ""] = amountForm.exec(text) ?? [];
  if (whole === "") {
    const form = unit === "minor" ? "4999 for 49.99" : "1234.50";
    throw new ReportMistake(
      `is no amount: it must be written like ${form}, without thousands separators, currency signs, spaces or exponents`,
      unit === "major" && /^-?\d+,\d+$/.test(text)
        ? { hint: "Write a point in place of the comma: 1,234 could be read in two ways." }
        : {},
    );
  }
  const code = currency.toUpperCase();
  const decimals = unit === "minor" ? 0 : getExponent(code);
  if (fraction.length > decimals) {
    throw new ReportMistake(
      unit === "minor"
        ? "has decimals, but amounts in minor units have none"
        : `has more decimals than ${code}, which has ${decimals}`,
      unit === "minor" ? { hint: "--amounts major reads amounts such as 49.99." } : {},
    );
  }
  const amount = BigInt(whole + fraction.padEnd(decimals, "0"));
  if (amount > Number.MAX_SAFE_INTEGER) throw new ReportMistake("is too large for an amount");
  if (isCardNumber(Number(amount))) throw new ReportMistake("is a card number");
  return sign === "" ? Number(amount) : -Number(amount);
}

/** The codes seen so far, as they were written; `Intl` is for other currencies than this service's only. */
const knownCodes = new Map<string, string>(currencies.map((code) => [code, code]));
let isoCodes: Set<string> | undefined;

/** Parses a currency's code, in any case, into lowercase. Errors: ReportMistake. */
export function parseCurrency(text: string): string {
  const known = knownCodes.get(text);
  if (known !== undefined) return known;
  const code = text.toLowerCase();
  isoCodes ??= new Set(Intl.supportedValuesOf("currency"));
  if (!/^[a-z]{3}$/.test(code) || !isoCodes.has(code.toUpperCase())) {
    throw new ReportMistake(text === "" ? "is empty" : "is no currency's code, such as eur");
  }
  knownCodes.set(text, code);
  return code;
}
