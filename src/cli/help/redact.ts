/**
 * Repeats a value of a refused command line only if it can hardly be part of a secret. Users may paste a key,
 * a card number or a password anywhere, also mistyped, cut or with another prefix. One short word of small
 * letters is safe: keys have capitals, digits and underscores, cards have digits, addresses have slashes.
 */
export function redactSecret(value: string): string | undefined {
  return /^[a-z]{1,12}$/.test(value) ? value : undefined;
}

/**
 * Repeats the name of a flag, without the value after `=`: a few such words joined by hyphens that don't
 * begin like a key. After a single hyphen it repeats only the first letter, since the rest may be a value.
 */
export function redactFlag(word: string): string | undefined {
  const [name = ""] = word.split("=", 1);
  if (/^-[a-z]/i.test(name)) return name.slice(0, 2);
  if (/^--(?:svc|sk|pk|rk)-/.test(name)) return undefined;
  return /^--[a-z]{1,12}(?:-[a-z]{1,12}){0,3}$/.test(name) ? name : undefined;
}

/**
 * Repeats the name of a field: a few such words joined by underscores or points, with at most one digit at
 * the end. A password may look like that too, so the caller must know that the name is close to a field's.
 */
export function redactField(name: string): string | undefined {
  if (/^(?:svc|sk|pk|rk)[._]/.test(name)) return undefined;
  return /^[a-z]{1,12}(?:[._][a-z]{1,12}){0,3}\d?$/.test(name) ? name : undefined;
}
