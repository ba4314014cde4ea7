/** Whether every store returns a string unchanged. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Whether a string has from `min` to `max` code points. */
export function isWithin(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > 2 * max) return false;
  if (value.length <= max && min <= 1) return true;
  const count = [...value].length;
  return count >= min && count <= max;
}

/** A word of a command line, in quotes where a shell would take it apart. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Makes text from an API harmless for a terminal: control characters (escape sequences begin with one),
 * line breaks, and characters that change the direction of writing become visible marks.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd");
}

/** As `escapeControls`, for a text of several lines. */
export function escapeLines(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => escapeControls(line.replaceAll("\t", "  ")));
}

/**
 * Writes an API object as JSON: on one line in a pipe, indented in a terminal. It escapes the characters that
 * JSON allows unescaped but a terminal would obey: control characters, and those that change the direction of
 * writing.
 */
export function toSafeJson(value: unknown, options: { indented: boolean }): string {
  return writeJson(value, options.indented ? 2 : undefined).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    escapeInJson,
  );
}

/** Writes a character as an escape in a JSON string. */
export function escapeInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The names that a mistyped one may stand for, the nearest first: at most one letter in three differs, in any case. The
 * caller limits the length: the time grows with its square.
 */
export function findNearNames(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, edits: countEdits(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= name.length / 3)
    .toSorted((one, other) => one.edits - other.edits)
    .map(({ name }) => name);
}

/** How many letters have to be put in, left out or replaced to make one word of another (Levenshtein). */
export function countEdits(one: string, other: string): number {
  let counts = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [at, expected] of [...other].entries()) {
      const replaced = (counts[at] ?? 0) + (letter === expected ? 0 : 1);
      next.push(Math.min(replaced, (counts[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    counts = next;
  }
  return counts.at(-1) ?? 0;
}

/**
 * Writes JSON for others to read: a lone surrogate, which UTF-8 lacks and strict readers refuse, becomes U+FFFD. Every
 * text that comes from outside is written by it, but for requests of the client: there the service says what is wrong.
 */
export function writeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.includes("\\ud") ? json.replaceAll(anyEscape, replaceSurrogate) : json;
}

/** From the start of each escape, so that the second half of an escaped backslash begins none. */
const anyEscape = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

function replaceSurrogate(escape: string): string {
  return escape.length > 2 ? "\ufffd" : escape;
}

/** The value that `json` stands for, or undefined where it is not JSON. */
export function tryParseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The value that `json` stands for, without rounding: a number that is not an integer (9007199254740991.4) never
 * becomes one, but is read as NaN. An integer may be written in any form: 100, 100.0 and 1e2 are the same
 * number. Error: SyntaxError.
 */
export function parseJsonExactly(json: string): unknown {
  // A literal begins behind one of these, so that the digits of a text such as an e-mail address cost nothing.
  const mayRound = /(?:^|[\s:,[])-?\d+[.eE]/.test(json);
  return mayRound ? JSON.parse(json, refuseRounding as Reviver) : JSON.parse(json);
}

/** Node passes a reviver the literal as it was written, which the type of JSON.parse lacks. */
type Reviver = NonNullable<Parameters<typeof JSON.parse>[1]>;

function refuseRounding(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== "number" || !Number.isInteger(value)) return value;
  return isIntegerLiteral(context.source ?? "") ? value : Number.NaN;
}

/** Whether a literal stands for an integer exactly: its exponent leaves no digit but zeros behind the point. */
function isIntegerLiteral(literal: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = whole + fraction;
  let length = digits.length; // without trailing zeros; a regular expression would take quadratic time
  while (digits[length - 1] === "0") length--;
  return length === 0 || length - whole.length <= Number(exponent);
}

/** Whether a value is what JSON calls an object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
