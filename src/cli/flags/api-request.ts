import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import type { TransportRequest } from "../../runtime/http-transport.ts";
import { isJsonObject } from "../../runtime/text.ts";
import { usageError } from "../output/command-error.ts";
import { type ParsedTokens, containsKey, parseHeaderFlags } from "./checked-values.ts";
import { integerFlag, switchFlag, textFlag } from "./flags.ts";
import { findStdinFlag, parseJsonObject, readInput } from "./read-input.ts";

type Method = TransportRequest["method"];

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies Method[];

const hasBody: Record<Method, boolean> = {
  GET: false,
  HEAD: false,
  POST: true,
  PUT: true,
  PATCH: true,
  DELETE: false,
};

/** The parts of a request of any kind. */
export const apiFlags = {
  field: Flags.string({
    char: "f",
    summary: "A text of the body, or of a GET's query. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
  }),
  "typed-field": Flags.string({
    char: "F",
    summary:
      "The same as a number, true, false or null where it is one; `@file` is the text of a file, `@-` of standard input.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
  }),
  data: textFlag("The whole body as JSON; `-` is standard input.", "<path>", {
    exclusive: ["field", "typed-field"],
  }),
  header: Flags.string({
    summary: "Send this header, too. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<name: value>",
  }),
  include: switchFlag("Print the status and the headers of the response first.", { char: "i" }),
  limit: integerFlag("Page through a list: how many to print in total.", "<count>", {
    min: 1,
    exclusive: ["include"],
  }),
  all: switchFlag("Page through a list: print all of it.", { exclusive: ["limit", "include"] }),
};

/** A request as it was typed. `query` is a part of `path`; `body` is JSON. */
export type ApiRequest = {
  method: Method;
  path: string;
  headers: [name: string, value: string][];
  body?: string;
};

type ApiFlags = Partial<InferredFlags<typeof apiFlags>>;
type Typed = { words: readonly (string | undefined)[]; raw: ParsedTokens; isLive: boolean };

/** Refuses to read standard input twice: called before anything else reads it. */
export function assertOneStdin(flags: ApiFlags, raw: ParsedTokens): void {
  const fields = raw.filter(({ flag, input }) => flag === "typed-field" && input.endsWith("=@-"));
  const other = findStdinFlag(flags);
  if (fields.length > 1 || (fields.length === 1 && other !== undefined)) {
    throw usageError("Standard input can be read only once.");
  }
}

/** Builds a request from words, flags and files. Errors: usage, before anything is sent. */
export async function parseApiRequest(
  flags: ApiFlags,
  { words, raw, isLive }: Typed,
): Promise<ApiRequest> {
  const [first, second] = words;
  const path = second ?? first;
  if (path === undefined) {
    throw usageError("Missing <path>: the path of a request.", "payments api /v1/payments");
  }
  const fields = await readFields({ raw, isLive });
  const sendsBody = flags.data !== undefined || fields.length > 0;
  const method = second === undefined ? (sendsBody ? "POST" : "GET") : parseMethod(first ?? "");
  if (flags.data !== undefined && !hasBody[method]) {
    throw usageError(
      `A ${method} has no body, so --data has no place in it.`,
      "Give its query with -f.",
    );
  }
  const headers = parseHeaderFlags(flags.header ?? [], "Prefer: return=minimal");
  if (!hasBody[method]) return { method, headers, path: addToQuery(path, fields) };
  const body = flags.data === undefined ? toBody(fields) : await readBody(flags.data);
  return { method, headers, path, ...(body !== undefined && { body }) };
}

function parseMethod(word: string): Method {
  const method = methods.find((each) => each === word.toUpperCase());
  if (method) return method;
  throw usageError(`The method must be one of ${methods.join(", ")}.`);
}

async function readBody(path: string): Promise<string> {
  const text = await readInput(path, "--data");
  await parseJsonObject(text, "--data"); // says where a mistake is, which the service cannot
  return text;
}

type Field = { keys: string[]; value: unknown; key: string };

/** Reads the fields in the order in which they were typed. */
async function readFields({ raw, isLive }: Pick<Typed, "raw" | "isLive">): Promise<Field[]> {
  const typed = raw.flatMap(({ flag, input }) => {
    return flag === "field" || flag === "typed-field" ? [{ flag, ...splitField(flag, input) }] : [];
  });
  const fields: Field[] = [];
  for (const { flag, key, value } of typed) {
    const isFile = flag === "typed-field" && value.startsWith("@");
    if (isLive && !isFile) refuseCard(key, value);
    const read = isFile ? await readInput(value.slice(1), `The file of -F ${key}`) : value;
    const isTyped = flag === "typed-field" && !isFile;
    fields.push({ key, keys: splitKey(key), value: isTyped ? parseValue(key, read) : read });
  }
  return fields;
}

/** No object of the API has more than three. */
const maxLevels = 20;

function hasSecret(key: string): boolean {
  return containsKey(key) || containsCardNumber(key);
}

function splitField(flag: string, text: string): { key: string; value: string } {
  const [, key, value] = /^([^[\]=]+(?:\[[^[\]]+\])*(?:\[\])?)=([^]*)$/.exec(text) ?? [];
  const isKey = key !== undefined && key.split("[").length <= maxLevels && !hasSecret(key);
  if (isKey && value !== undefined) return { key, value };
  throw usageError(
    `--${flag} must be written KEY=VALUE.`,
    "For example -F amount=4999, -f metadata[order]=1001, or -f events[]=payment.failed for a list",
  );
}

/** `card[number]` is `card` and `number` in it; an empty key at the end is one more of a list. */
function splitKey(key: string): string[] {
  const [first = "", ...inner] = key.split("[");
  return [first, ...inner.map((part) => part.slice(0, -1))];
}

function refuseCard(key: string, value: string): void {
  const isCard = /^card\[(?:number|cvc)\]$/.test(key) || containsCardNumber(value);
  if (!isCard) return;
  throw usageError(
    "A live card is not accepted on the command line, where others can see it. Nothing was sent.",
    "Use --data with a file only you can read, or -F card[number]=@- and standard input.",
  );
}

const words = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function parseValue(key: string, text: string): unknown {
  if (words.has(text)) return words.get(text);
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text;
  const value = Number(text);
  if (Number.isFinite(value) && toDigits(text) === toDigits(String(value))) return value;
  throw usageError(
    `-F ${key} is a number that JSON does not carry exactly: it would be rounded. Nothing was sent.`,
    "Send it as text with -f.",
  );
}

/** The digits of a number without zeros around them, and the power of ten of the last: equal for equal numbers. */
function toDigits(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length; // a regular expression would take quadratic time
  while (digits[length - 1] === "0") length--;
  if (length === 0) return "0";
  const power = Number(exponent) - fraction.length + digits.length - length;
  return `${mantissa.startsWith("-") ? "-" : ""}${digits.slice(0, length)}e${power}`;
}

function addToQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams();
  for (const { key, value } of fields) {
    if (query.has(key) && !key.endsWith("[]")) throw namedTwice(key);
    query.append(key, String(value));
  }
  return `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
}

type Tree = { [name: string]: unknown };

function toBody(fields: readonly Field[]): string | undefined {
  if (fields.length === 0) return undefined;
  const body = createTree();
  for (const { key, keys, value } of fields) {
    const isItem = keys.at(-1) === "";
    const path = isItem ? keys.slice(0, -1) : keys;
    let place = body;
    for (const name of path.slice(0, -1)) {
      const inner = (place[name] ??= createTree());
      if (!isJsonObject(inner)) throw namedTwice(key);
      place = inner;
    }
    const name = path.at(-1) ?? "";
    const before = place[name];
    if (isItem ? before !== undefined && !Array.isArray(before) : before !== undefined) {
      throw namedTwice(key);
    }
    if (Array.isArray(before)) before.push(value);
    else place[name] = isItem ? [value] : value;
  }
  return JSON.stringify(body);
}

/** Without a prototype, so that each name is only a name. */
function createTree(): Tree {
  return Object.create(null) as Tree;
}

function namedTwice(key: string): Error {
  return usageError(`The field ${key} is named twice, as a value and as what is in it.`);
}
