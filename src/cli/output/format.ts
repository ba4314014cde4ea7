/** Minor units as people write them: 4999 and `eur` are `49.99 EUR`. Exact at any size. */
export function money(amountMinor: number, currency: string): string {
  const code = safeCode(currency);
  const digits = String(amountMinor).padStart(exponentOf(code) + 1, "0");
  const at = digits.length - exponentOf(code);
  const fraction = digits.slice(at);
  return `${digits.slice(0, at)}${fraction && `.${fraction}`} ${code}`;
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

function exponentOf(code: string): number {
  if (code === "???") return 0;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}
