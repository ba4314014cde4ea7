import { suggest, findNearest } from "./suggest.ts";
import { openValues } from "./describe.ts";

/**
 * Suggests a value for one that was refused after the parser: by a rule of the flag (`--expect must be …`)
 * or by the API (param `currency`).
 */
export function suggestValue(
  { message, param }: { message: string; param: string | null },
  argv: readonly string[],
): string | null {
  const [name, values] =
    Object.entries(openValues).find(
      ([flag]) => param === flag || message.startsWith(`--${flag} must `),
    ) ?? [];
  if (name === undefined || values === undefined) return null;
  const wrong = listTypedValues(name, argv).filter((typed) => !values.includes(typed));
  const meant = new Set(wrong.flatMap((typed) => findNearest(typed, values)));
  return suggest([...meant].map((value) => `--${name} ${value}`)) ?? null;
}

/** The values typed for a flag, which may be repeated and hold several, separated by commas. */
function listTypedValues(name: string, argv: readonly string[]): string[] {
  return argv
    .flatMap((word, at) => {
      if (word === `--${name}`) return argv[at + 1] ?? "";
      return word.startsWith(`--${name}=`) ? word.slice(`--${name}=`.length) : [];
    })
    .flatMap((value) => value.split(",").map((each) => each.trim()));
}
