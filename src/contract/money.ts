import { currencies } from "./payment-values.ts";

/** Minor units as people write them: 4999 and `eur` are `49.99 EUR`. Exact at any size. */
export function formatMoney(amountMinor: number | bigint, currency: string): string {
  const code = /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : "???";
  const digits = String(amountMinor).padStart(getExponent(code) + 1, "0");
  const at = digits.length - getExponent(code);
  const fraction = digits.slice(at);
  return `${digits.slice(0, at)}${fraction && `.${fraction}`} ${code}`;
}

/** `Intl` is for other currencies only. */
const exponents = new Map(currencies.map((currency) => [currency.toUpperCase(), 2]));

/** How many decimals a currency has, by its code in capitals; 0 for what is no code. */
export function getExponent(code: string): number {
  if (code === "???") return 0;
  const known = exponents.get(code);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
  exponents.set(code, exponent);
  return exponent;
}
