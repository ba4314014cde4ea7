import { money } from "../../contract/money.ts";

/** Whether somebody typed an amount: `49.99`, `49,99` or `49.99 EUR`. */
export function isAmountOf(
  { amount, currency }: { amount: number; currency: string },
  typed: string,
): boolean {
  const whole = money(amount, currency);
  const text = typed.trim().replaceAll(/\s+/g, " ").replace(",", ".").toUpperCase();
  return text === whole || text === whole.split(" ", 1)[0];
}
