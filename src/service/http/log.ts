import { mask } from "../../contract/mask.ts";

/** Where the service tells what it does; nothing secret is ever given to it. */
export type Log = {
  info: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

const maxCauses = 5;

/**
 * What a log may hold of an error, its causes included: an error may quote what it met, or carry the
 * request that it failed on, so its texts are masked and its other properties left out.
 */
export function maskedError(error: unknown, depth = 0): Error {
  const from = error instanceof Error ? error : new Error(String(error));
  const goesOn = from.cause instanceof Error && depth < maxCauses;
  const masked = new Error(
    mask(from.message),
    goesOn ? { cause: maskedError(from.cause, depth + 1) } : {},
  );
  masked.name = from.name;
  masked.stack = mask(from.stack ?? "");
  return masked;
}
