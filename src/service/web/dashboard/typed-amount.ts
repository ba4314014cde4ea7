import { formatMoney } from "../../../contract/money.ts";

/** Whether a text is an amount as a person types it: `49.99`, `49,99`, `49.99 EUR` or `1,234.56 EUR`. */
export function matchesAmount(
  { amount, currency }: { amount: number; currency: string },
  typed: string,
): boolean {
  const whole = formatMoney(amount, currency);
  const text = normalizeAmount(typed);
  return text === whole || text === whole.split(" ", 1)[0];
}

/** An amount as a person types it, in the notation of the service: `1,234.56 eur` is `1234.56 EUR`. */
export function normalizeAmount(typed: string): string {
  const plain = typed.trim().replaceAll(/\s+/g, " ").toUpperCase();
  return plain.replaceAll(/,(?=\d{3}\b)/g, "").replace(",", ".");
}
