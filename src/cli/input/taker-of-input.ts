import { usageError } from "../endings/exit-codes.ts";

/** The flag that reads standard input, which can hold one thing. */
export function takerOfInput(flags: Record<string, unknown>): string | undefined {
  const taking = ["api-key-file", "card-file", "data"].filter((name) => flags[name] === "-");
  if (taking.length < 2) return taking[0];
  throw usageError(`Standard input can be only one of --${taking.join(" and --")}.`);
}
