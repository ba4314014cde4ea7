import { closeSync, openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { isJsonObject, parseJsonExactly } from "../../runtime/text.ts";
import { expandHome } from "../../runtime/user-files.ts";
import { usageError, type CommandError } from "../output/command-error.ts";
import { TextMistake, TooLargeFile, UnreadableFile, pathHint, readText } from "./read-text.ts";

/** The maximum size of an input, and the texts of its errors. */
type Content = { maxBytes: number; tooLarge: string; hint?: string; pathHint: string };

const textContent: Content = {
  maxBytes: 1024 * 1024,
  tooLarge: "is larger than 1 MiB.",
  pathHint,
};

const keyContent: Content = {
  maxBytes: 4 * 1024,
  tooLarge: "is larger than 4 KiB, which no key is.",
  hint: "Give the path of a file that holds the key alone.",
  pathHint: "Give the path of a file that holds the key, or - for standard input.",
};

/** Reads the whole text of a file, or of standard input if the path is `-`. Errors: usage errors. */
export async function readInput(
  path: string,
  flag: string,
  content = textContent,
): Promise<string> {
  const { maxBytes, tooLarge, hint } = content;
  try {
    const blocks: Buffer[] = [];
    for await (const block of readText(path, { maxBytes })) blocks.push(block);
    return Buffer.concat(blocks).toString();
  } catch (error) {
    if (error instanceof UnreadableFile) {
      throw usageError(`${flag} cannot be read: ${error.message}.`, content.pathHint);
    }
    if (error instanceof TooLargeFile) throw usageError(`${flag} ${tooLarge}`, hint);
    if (!(error instanceof TextMistake)) throw error;
    throw usageError(`${flag} ${error.message}: see line ${error.line}.`, error.hint);
  }
}

/** Reads a JSON object from a file or from standard input. */
export async function readJsonObject(path: string, flag: string): Promise<Record<string, unknown>> {
  return await parseJsonObject(await readInput(path, flag), flag);
}

/** Parses the JSON object that a flag's file holds. Errors: usage errors. */
export async function parseJsonObject(
  text: string,
  flag: string,
): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJsonExactly(text);
  } catch {
    const { findJsonMistake } = await import("./find-json-mistake.ts");
    const mistake = findJsonMistake(text);
    if (!mistake) throw nestedTooDeeply(flag);
    const { line, column, reason } = mistake;
    throw usageError(
      `${flag} does not hold valid JSON: line ${line}, column ${column}: ${reason}.`,
    );
  }
  if (!isJsonObject(value)) throw usageError(`${flag} must hold a JSON object.`);
  if (isDeeper(value, maxLevels)) throw nestedTooDeeply(flag);
  return value;
}

/** The API's objects have three. With thousands the functions that mask and send them would exhaust the stack. */
const maxLevels = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function nestedTooDeeply(flag: string): CommandError {
  return usageError(`${flag} must hold a JSON object of at most ${maxLevels} levels.`);
}

/** Reads the file that `--api-key-file` names. Refuses a terminal, which would show the key as it is typed. */
export async function readKeyFile(path: string): Promise<string> {
  if (!isTerminal(expandHome(path))) return await readInput(path, "--api-key-file", keyContent);
  throw usageError(
    "--api-key-file is a terminal, which would show the key as it is typed.",
    "Give a file or a pipe, or type the key at the hidden prompt of payments login.",
  );
}

/** Finds the flag that reads standard input. Errors: there are several. */
export function findStdinFlag(flags: Record<string, unknown>): string | undefined {
  const names = ["api-key-file", "card-file", "data", "from", "secret-file"].filter(
    (name) => flags[name] === "-",
  );
  if (names.length < 2) return names[0];
  throw usageError(`Standard input can be only one of --${names.join(" and --")}.`);
}

function isTerminal(path: string): boolean {
  if (path === "-") return process.stdin.isTTY;
  try {
    if (!statSync(path).isCharacterDevice()) return false;
    const device = openSync(path, "r");
    try {
      return isatty(device);
    } finally {
      closeSync(device);
    }
  } catch {
    return false; // reading it fails, with the reason
  }
}
