import { usageError, type CommandError } from "../endings/exit-codes.ts";

/** A value that nobody gave, and nobody can be asked for. */
export function missing(what: string, hint: string): CommandError {
  return usageError(`Missing ${what} (${hint}).`);
}
