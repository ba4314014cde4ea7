import { formatMoney } from "../../contract/money.ts";

/** Whether a text is an amount as a person types it: `49.99`, `49,99` or `49.99 EUR`. */
export function matchesAmount(
  { amount, currency }: { amount: number; currency: string },
  typed: string,
): boolean {
  const whole = formatMoney(amount, currency);
  const text = typed.trim().replaceAll(/\s+/g, " ").replace(",", ".").toUpperCase();
  return text === whole || text === whole.split(" ", 1)[0];
}
