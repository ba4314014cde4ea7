import { closeSync, createReadStream, openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { mask } from "../../contract/mask.ts";
import { isJsonObject, parseJsonExactly } from "../../runtime/json.ts";
import { escapeControls } from "../../runtime/safe-text.ts";
import { getFsErrorCode } from "../../runtime/user-files.ts";
import { usageError } from "../errors/command-error.ts";

/** The maximum size of an input, and the texts of its errors. */
type Content = { maxBytes: number; tooLarge: string; hint?: string; pathHint: string };

/** The hint where a file cannot be read. */
export const pathHint = "Give the path of a file, or - for standard input.";

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

/** A path as an error may repeat it. One of several lines is no path, but may be a key that was broken by copying. */
export function describePath(path: string): string {
  if (path === "-") return "standard input";
  return /\p{Cc}/u.test(path) ? "The file" : mask(escapeControls(path));
}

/** Reads a file, or standard input if the path is `-`. */
export async function readInput(
  path: string,
  flag: string,
  content = textContent,
): Promise<string> {
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
    // By default the decoder would silently replace bytes that are not UTF-8. Windows' byte order mark is
    // dropped. A key that is no text is refused later, as any malformed key is.
    return new TextDecoder("utf-8", { fatal: content !== keyContent }).decode(
      Buffer.concat(chunks),
    );
  } catch {
    throw usageError(`${flag} is not text in UTF-8.`);
  }
}

/** Reads a JSON object from a file or from standard input. */
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

/** Reads the file that `--api-key-file` names. Refuses a terminal, which would show the key as it is typed. */
export async function readKeyFile(path: string): Promise<string> {
  if (!isTerminal(path)) return await readInput(path, "--api-key-file", keyContent);
  throw usageError(
    "--api-key-file is a terminal, which would show the key as it is typed.",
    "Give a file or a pipe, or type the key at the hidden prompt of payments login.",
  );
}

/** Finds the flag that reads standard input. Errors: there are several. */
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

const readFailures: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ENAMETOOLONG: "that is not the name of a file",
  ERR_INVALID_ARG_VALUE: "that is not the name of a file",
};

/** The reason why a file cannot be read, without its path: the user may have typed a key or a card there. */
export function describeReadError(error: unknown): string {
  const code = getFsErrorCode(error) ?? "no";
  return readFailures[code] ?? `the system says ${code}`;
}
