import { closeSync, createReadStream, openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { isJsonObject, parseJsonExactly } from "../../runtime/json.ts";
import { usageError } from "../errors/command-error.ts";

/** What is read: how large it may be, and what is said of it. */
type Content = { maxBytes: number; tooLarge: string; hint?: string; pathHint: string };

const anyText: Content = {
  maxBytes: 1024 * 1024,
  tooLarge: "is larger than 1 MiB.",
  pathHint: "Give the path of a file, or - for standard input.",
};

const aKey: Content = {
  maxBytes: 4 * 1024,
  tooLarge: "is larger than 4 KiB, which no key is.",
  hint: "Give the path of a file that holds the key alone.",
  pathHint: "Give the path of a file that holds the key, or - for standard input.",
};

/** The text of a file, or of standard input where the path is `-`. */
export async function readInput(path: string, flag: string, content = anyText): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const stream = path === "-" ? process.stdin : createReadStream(path);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > content.maxBytes) break;
    }
  } catch (error) {
    throw usageError(`${flag} cannot be read: ${describeReadError(error)}.`, content.pathHint);
  }
  if (size > content.maxBytes) throw usageError(`${flag} ${content.tooLarge}`, content.hint);
  try {
    // Other bytes would be replaced without a word; a byte order mark, as Windows writes it, is left out.
    // A key that is no text is refused later as malformed, like any other that is none.
    return new TextDecoder("utf-8", { fatal: content !== aKey }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError(`${flag} is not text in UTF-8.`);
  }
}

/** The JSON object in a file or in standard input. */
export async function readJsonObject(path: string, flag: string): Promise<Record<string, unknown>> {
  const text = await readInput(path, flag);
  let value: unknown;
  try {
    value = parseJsonExactly(text);
  } catch {
    throw usageError(`${flag} does not hold valid JSON.`);
  }
  if (isJsonObject(value)) return value;
  throw usageError(`${flag} must hold a JSON object.`);
}

/** The text of the file that `--api-key-file` names: never typed, since a terminal would show it. */
export async function readKeyFile(path: string): Promise<string> {
  if (!isTerminal(path)) return await readInput(path, "--api-key-file", aKey);
  throw usageError(
    "--api-key-file is a terminal, which would show the key as it is typed.",
    "Give a file or a pipe, or type the key at the hidden prompt of payments login.",
  );
}

/** The flag that reads standard input, which can hold one thing. */
export function findStdinFlag(flags: Record<string, unknown>): string | undefined {
  const names = ["api-key-file", "card-file", "data"].filter((name) => flags[name] === "-");
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

/** Why a file cannot be read, without its path: what was typed for one may be a key or a card. */
export function describeReadError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
    case "EPERM":
      return "this user may not read it";
    case "ENAMETOOLONG":
    case "ERR_INVALID_ARG_VALUE":
      return "that is not the name of a file";
    default:
      return `the system says ${code === "" ? "no" : code}`;
  }
}
