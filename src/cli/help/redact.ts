/**
 * What may be repeated of a command line that was refused. A key, a card number or a password may
 * stand anywhere, also mistyped, cut or with another prefix; so only what can hardly be a part of one
 * is told back. A value: one short word of small letters, while keys have capitals, digits and
 * underscores, cards have digits, addresses have slashes. Everything else is named by its place.
 */
export function redactSecret(value: string): string | undefined {
  return /^[a-z]{1,12}$/.test(value) ? value : undefined;
}

/**
 * The name of a flag, without the value after `=`: a few such words joined by hyphens, that don't
 * begin as a key does; of letters behind one hyphen the first alone, since the rest may be its value.
 */
export function redactFlag(word: string): string | undefined {
  const [name = ""] = word.split("=", 1);
  if (/^-[a-z]/i.test(name)) return name.slice(0, 2);
  if (/^--(?:svc|sk|pk|rk)-/.test(name)) return undefined;
  return /^--[a-z]{1,12}(?:-[a-z]{1,12}){0,3}$/.test(name) ? name : undefined;
}

/**
 * The name of a field: a few such words joined by underscores or points, as the API's are, with a digit
 * at most at the end. A password may look like that, too: whoever tells it knows that it is near one.
 */
export function redactField(name: string): string | undefined {
  if (/^(?:svc|sk|pk|rk)[._]/.test(name)) return undefined;
  return /^[a-z]{1,12}(?:[._][a-z]{1,12}){0,3}\d?$/.test(name) ? name : undefined;
}
