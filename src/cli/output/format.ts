/** Minor units as people write them: 4999 and `eur` are `49.99 EUR`. Exact at any size. */
export function money(amountMinor: number, currency: string): string {
  const code = safeCode(currency);
  const digits = String(amountMinor).padStart(exponentOf(code) + 1, "0");
  const at = digits.length - exponentOf(code);
  const fraction = digits.slice(at);
  return `${digits.slice(0, at)}${fraction && `.${fraction}`} ${code}`;
}

/** A time in Unix seconds as people in a hurry read it: `2m ago` within a day, else the local date. */
export function ageOrDate(seconds: number, nowMs: number): string {
  const ageSeconds = Math.max(0, Math.floor(nowMs / 1000) - seconds); // another clock may be ahead
  if (ageSeconds < 60) return `${ageSeconds}s ago`;
  if (ageSeconds < 3_600) return `${Math.floor(ageSeconds / 60)}m ago`;
  if (ageSeconds < 86_400) return `${Math.floor(ageSeconds / 3_600)}h ago`;
  return localTime(seconds).split(" ", 1).join("");
}

/** A time in Unix seconds as local date and time. */
export function localTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return String(seconds);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function safeCode(currency: string): string {
  return /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : "???";
}

/**
 * The currencies that have not two digits after the point, as the payment page has them from Intl:
 * what Intl knows takes longer to load than all else that a list of payments needs.
 */
const exponents: readonly [exponent: number, codes: string][] = [
  [
    0,
    "ADP AFN ALL BIF BYR CLP COP DJF ESP GNF HUF IDR IQD IRR ISK ITL JPY KMF KPW KRW LAK LBP LUF MGA MGF MMK MRO PKR PYG RWF SLL SOS STD SYP TMM TRL UGX UYI VND VUV XAF XOF XPF YER ZMK ZWD ???",
  ],
  [3, "BHD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];

function exponentOf(code: string): number {
  return exponents.find(([, codes]) => codes.includes(code))?.[0] ?? 2;
}
