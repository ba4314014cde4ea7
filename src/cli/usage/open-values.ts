import { currencies } from "../../contract/payment.ts";
import { outcomes } from "../input/expectation.ts";

/**
 * The values of flags that oclif takes any value for: what they may be is checked later, in either
 * case (`--currency EUR`) or by the flag's own rule.
 */
export const openValues: Readonly<Record<string, readonly string[]>> = {
  currency: currencies,
  expect: outcomes,
};
