import { didYouMean, nearest } from "./nearest.ts";
import { openValues } from "./describe.ts";

/**
 * The value that may have been meant where one was refused after the parser had let it pass, by a rule
 * of the flag (`--expect must be …`) or by the API (param `currency`).
 */
export function suggestedValue(
  { message, param }: { message: string; param: string | null },
  argv: readonly string[],
): string | null {
  const [name, values] =
    Object.entries(openValues).find(
      ([flag]) => param === flag || message.startsWith(`--${flag} must `),
    ) ?? [];
  if (name === undefined || values === undefined) return null;
  const at = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const typed = argv[at]?.split("=")[1] ?? argv[at + 1] ?? "";
  return didYouMean(nearest(typed, values).map((value) => `--${name} ${value}`)) ?? null;
}
