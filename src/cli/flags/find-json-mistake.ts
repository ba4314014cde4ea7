/** Finds where a text is no JSON, and why, as a clause. Lines and columns count from 1; nothing of the text is repeated. */
type JsonPlace = { line: number; column: number; reason: string };

type Expected = "value" | "first element" | "field" | "first field" | "colon" | "comma" | "end";

const blanks = /[ \t\n\r]*/y;
const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const plainCharacters = /[^"\\\p{Cc}]*/uy;
/** Control characters that JSON allows, and escapes. */
const otherCharacters = /(?:[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))?/y;

/** Finds where a text stops being JSON (RFC 8259); undefined where it is JSON. */
export function findJsonMistake(text: string): JsonPlace | undefined {
  const open: { closer: "]" | "}"; at: number }[] = [];
  let expected: Expected = "value";
  let at = 0;
  const mistake = (reason: string, place = at): JsonPlace => ({ ...locate(text, place), reason });
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const afterValue = (): Expected => (open.length === 0 ? "end" : "comma");

  for (;;) {
    skip(blanks);
    const start = at;
    const character = text.charAt(at);
    if (character === "") {
      if (expected === "end") return undefined;
      if (text.trim() === "") return mistake("it is empty", 0);
      const unclosed = open.at(-1);
      return unclosed
        ? mistake(
            `it ends before the ${text.charAt(unclosed.at)} that begins here is closed`,
            unclosed.at,
          )
        : mistake("it ends where a value must be");
    }
    if (character === "/" || character === "#") return mistake("JSON has no comments");
    const isCloser = character === "}" || character === "]";
    switch (expected) {
      case "end":
        return mistake("nothing may follow the end of the value");
      case "colon":
        if (character !== ":") return mistake("a colon is missing after a field's name");
        at++;
        expected = "value";
        break;
      case "comma":
        if (isCloser && open.at(-1)?.closer === character) {
          open.pop();
          expected = afterValue();
        } else if (character === ",") {
          expected = open.at(-1)?.closer === "}" ? "field" : "value";
        } else if (isCloser) {
          return mistake(`${open.at(-1)?.closer} is missing before this ${character}`);
        } else {
          return mistake("a comma is missing before this");
        }
        at++;
        break;
      case "field":
      case "first field":
        if (character === "}" && expected === "first field") {
          at++;
          open.pop();
          expected = afterValue();
          break;
        }
        if (isCloser) return mistake(describeCloser(character, expected === "field"));
        if (character !== '"') return mistake("a field's name must stand in double quotes");
        at++;
        break;
      default:
        if (character === "]" && expected === "first element") {
          at++;
          open.pop();
          expected = afterValue();
          break;
        }
        if (isCloser) {
          const isAfterComma = expected === "value" && open.at(-1)?.closer === "]";
          return mistake(describeCloser(character, isAfterComma));
        }
        if (character === "{" || character === "[") {
          open.push({ closer: character === "{" ? "}" : "]", at });
          expected = character === "{" ? "first field" : "first element";
          at++;
        } else if (character === '"') {
          at++;
        } else {
          const reason = skipPlainValue(skip, character);
          if (reason !== undefined) return mistake(reason, start);
          expected = afterValue();
        }
    }
    if (character !== '"') continue;
    while (skip(plainCharacters) !== "" || skip(otherCharacters) !== "");
    if (at === text.length) return mistake("the text that begins here is never closed", start);
    if (text.charAt(at) !== '"') return mistake(describeStringMistake(text.charAt(at)));
    at++;
    if (expected === "field" || expected === "first field") expected = "colon";
    else expected = afterValue();
  }
}

function describeCloser(closer: string, isAfterComma: boolean): string {
  return isAfterComma
    ? `a comma stands before this ${closer}`
    : `a value is missing before this ${closer}`;
}

/** Skips a number or a word; returns what is wrong with it. */
function skipPlainValue(skip: (pattern: RegExp) => string, character: string): string | undefined {
  const number = skip(numbers);
  const word = skip(words);
  if (number !== "") {
    const next = skip(/[\d.+-]?/y);
    if (word === "" && next === "") return undefined;
    return /\d/.test(next)
      ? "a number has no 0 before its other digits"
      : "this is no number of JSON";
  }
  if (["true", "false", "null"].includes(word)) return undefined;
  if (/^(?:true|false|null)$/i.test(word)) return "true, false and null are written in lower case";
  if (["NaN", "Infinity", "undefined", "None"].includes(word)) return "this is no value of JSON";
  if (/['‘’“”„`]/.test(character) || word !== "") return "a text must stand in double quotes";
  if (/[+.-]/.test(character)) return "a number begins with a digit, or a minus and a digit";
  return character === "," ? "a value is missing before this comma" : "a value must begin here";
}

function describeStringMistake(character: string): string {
  switch (character) {
    case "\n":
    case "\r":
      return String.raw`a text must end on its line; a line break in it is written \n`;
    case "\t":
      return String.raw`a tab in a text is written \t`;
    case "\\":
      return String.raw`after \ comes one of " \ / b f n r t, or u and four digits`;
    default:
      return String.raw`a control character in a text is written \u and four digits`;
  }
}

function locate(text: string, at: number): { line: number; column: number } {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const line = at === 0 ? 1 : text.slice(0, start).split("\n").length;
  const before = text.slice(at === 0 ? 0 : start, at);
  return { line, column: [...before].length + 1 };
}
