export const currencies = ["eur", "usd", "gbp"] as const;

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

/** The signs of this service's currencies. */
export const currencySigns: Readonly<Record<string, string>> = { eur: "€", usd: "$", gbp: "£" };

/**
 * Whether a text is this amount as people write it: 123450 and `eur` are `1,234.50`, `1.234,50`, `1234.5` and `1234,50`,
 * with or without the currency's sign or code, before or behind. A whole number is not: `1,234` could be either.
 */
export function isTypedAmount(typed: string, amountMinor: number, currency: string): boolean {
  const [digits = "", code = ""] = formatMoney(amountMinor, currency).split(" ");
  const [whole = "", fraction] = digits.split(".");
  const marks = [code, currencySigns[currency] ?? code];
  const text = typed.trim().toUpperCase();
  const before = marks.find((mark) => text.startsWith(mark));
  const behind = before === undefined ? marks.find((mark) => text.endsWith(mark)) : undefined;
  const bare = text.slice(before?.length ?? 0, text.length - (behind?.length ?? 0)).trim();
  const group = (separator: string) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
  if (fraction === undefined) return [whole, group(","), group(".")].includes(bare);
  return [fraction, fraction.replace(/(?<=.)0$/, "")].some((end) =>
    [`${whole}.${end}`, `${whole},${end}`, `${group(",")}.${end}`, `${group(".")},${end}`].includes(
      bare,
    ),
  );
}
