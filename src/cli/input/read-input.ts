import { createReadStream } from "node:fs";
import { usageError } from "../endings/exit-codes.ts";
import { reasonUnreadable } from "./unreadable.ts";

const maxBytes = 1024 * 1024;

/** The text of a file, or of standard input where the path is `-`. */
export async function readInput(path: string, flag: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const stream = path === "-" ? process.stdin : createReadStream(path);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    throw usageError(
      `${flag} cannot be read: ${reasonUnreadable(error)}.`,
      "Give the path of a file, or - for standard input.",
    );
  }
  if (size > maxBytes) throw usageError(`${flag} is larger than 1 MiB.`);
  try {
    // Other bytes would be replaced without a word; a byte order mark, as Windows writes it, is left out.
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError(`${flag} is not text in UTF-8.`);
  }
}

/** The JSON object in a file or in standard input. */
export async function readJsonObject(path: string, flag: string): Promise<Record<string, unknown>> {
  const text = await readInput(path, flag);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${flag} does not hold valid JSON.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw usageError(`${flag} must hold a JSON object.`);
}
