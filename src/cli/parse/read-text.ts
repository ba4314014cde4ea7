import { close, constants, createReadStream, fstatSync, open } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/text.ts";
import { expandHome, getFsErrorCode } from "../../runtime/user-files.ts";
import { decodeText, type DecodeOptions } from "./decode-text.ts";

const chunkBytes = 64 * 1024;

/** The hint where a file cannot be read. */
export const pathHint = "Give the path of a file, or - for standard input.";

/** A path as an error may repeat it. One of several lines is no path, but may be a key that was broken by copying. */
export function describePath(path: string): string {
  if (path === "-") return "standard input";
  return /\p{Cc}/u.test(path) ? "The file" : mask(escapeControls(path));
}

/** A file that the system does not let be read; `message` is the reason as a clause, without the path. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}

/** A file of more bytes than it may have. */
export class TooLargeFile extends Error {
  override name = "TooLargeFile";
}

type ReadOptions = DecodeOptions & {
  /** Without it the file may have any size, and is in memory only in parts. */
  maxBytes?: number;
  signal?: AbortSignal;
};

/**
 * Reads the text of a user's file, or of standard input if the path is `-`: in UTF-8, in blocks of whole lines. Errors:
 * UnreadableFile, TooLargeFile, TextMistake, and the signal's reason.
 */
export async function* readText(
  path: string,
  { maxBytes, signal, ...decoding }: ReadOptions,
): AsyncGenerator<Buffer> {
  yield* decodeText(readChunks(path, maxBytes, signal), decoding);
}

async function* readChunks(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = expandHome(path);
  let source: Readable | undefined;
  let size = 0;
  try {
    source = path === "-" ? process.stdin : await openFile(file);
    if (signal) addAbortSignal(signal, source);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      yield chunk;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new UnreadableFile(describeReadError(error));
  } finally {
    source?.destroy();
  }
  if (size > maxBytes) throw new TooLargeFile();
}

/**
 * Opens a file without waiting for anyone to write to it: a thread that waits in the operating system for a FIFO or a
 * terminal could not be told that the command has ended. Elsewhere than on Linux a FIFO without a writer would seem to
 * be at its end.
 */
async function openFile(path: string): Promise<Readable> {
  const waitsForNobody = process.platform === "linux" ? constants.O_NONBLOCK : 0;
  const fd = await promisify(open)(path, constants.O_RDONLY | waitsForNobody);
  try {
    if (isatty(fd)) return new (await import("node:tty")).ReadStream(fd);
    if (waitsForNobody === 0 || !fstatSync(fd).isFIFO()) {
      return createReadStream(path, { fd, highWaterMark: chunkBytes });
    }
    const { Socket } = await import("node:net");
    return new Socket({ fd, readable: true, writable: false });
  } catch (error) {
    close(fd);
    throw error;
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
