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
