import { isUtf8 } from "node:buffer";
import { close, constants, createReadStream, fstatSync, open } from "node:fs";
import { type Readable, addAbortSignal } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/text.ts";
import { expandHome, getFsErrorCode } from "../../runtime/user-files.ts";

const chunkBytes = 64 * 1024;

/** The hint where a file cannot be read. */
export const pathHint = "Give the path of a file, or - for standard input.";

/**
 * A path as an error may repeat it. One of several lines is no path, but may be a key that was broken by copying; one in
 * braces may be a card's JSON.
 */
export function describePath(path: string): string {
  if (path === "-") return "standard input";
  return /\p{Cc}|^\s*\{/u.test(path) ? "The file" : mask(escapeControls(path));
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
 * terminal could not learn that the command has ended. Elsewhere than on Linux a FIFO without a writer would seem to
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

export const encodings = ["utf-8", "utf-16", "latin1", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/** A longer line is no line of a text that people write: most likely a quote was never closed. */
export const maxLineBytes = 1024 * 1024;

/** Why a file's text cannot be read, as a clause behind its name; lines count from 1. */
export class TextMistake extends Error {
  override name = "TextMistake";
  readonly line: number;
  readonly hint: string | undefined;

  constructor(message: string, line: number, hint?: string) {
    super(message);
    this.line = line;
    this.hint = hint;
  }
}

export type DecodeOptions = {
  /** The encoding that the user named; by default it is UTF-8, or UTF-16 with its mark or its NUL bytes. */
  encoding?: Encoding | undefined;
  /** Bytes that are not UTF-8 become U+FFFD, for a reader that needs a part of the text alone. */
  isLenient?: boolean;
};

const lineFeed = 0x0a;
/** So many bytes tell UTF-16 without a mark from UTF-8. */
const headBytes = 4 * 1024;
const minBytesPerNul = 10;

/**
 * Decodes a text, whatever program wrote it, into blocks of whole lines in UTF-8, without a byte order mark. In memory
 * that does not grow with the text. Errors: TextMistake.
 */
export async function* decodeText(
  source: AsyncIterable<Buffer>,
  { encoding, isLenient = false }: DecodeOptions = {},
): AsyncGenerator<Buffer> {
  let line = 1;
  for await (const block of cutLines(toUtf8(source, encoding))) {
    const isText = isUtf8(block);
    if (block.includes(0) || (!isText && !isLenient)) throw findMistake(block, line);
    yield isText ? block : Buffer.from(block.toString());
    line += countLines(block);
  }
}

/** Cuts a text into blocks of whole lines: no other character of UTF-8 has the line feed's byte in it. */
async function* cutLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let [restBytes, line] = [0, 1];
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const block = Buffer.concat([...rest, chunk.subarray(0, end)]);
      [rest, restBytes] = [[], 0];
      line += countLines(block);
      yield block;
    }
    rest.push(chunk.subarray(end));
    restBytes += chunk.length - end;
    if (restBytes > maxLineBytes) {
      const isCr = line === 1 && rest[0]?.includes("\r");
      throw isCr
        ? describeCarriageReturns()
        : new TextMistake("is a line of more than 1 MiB", line);
    }
  }
  if (restBytes > 0) yield Buffer.concat(rest);
}

async function* toUtf8(
  source: AsyncIterable<Buffer>,
  encoding: Encoding | undefined,
): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let decode: Decoder | undefined;
  for await (const chunk of source) {
    if (decode) {
      yield decode(chunk, false);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < headBytes) continue;
    decode = createDecoder(head, encoding);
    yield decode(head, false);
    head = Buffer.alloc(0);
  }
  decode ??= createDecoder(head, encoding);
  yield decode(head, true);
}

type Decoder = (bytes: Buffer, isLast: boolean) => Buffer;
type Found = "utf-8" | "utf-16le" | "utf-16be";

const marks: [found: Found, mark: Buffer][] = [
  ["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
  ["utf-16le", Buffer.from([0xff, 0xfe])],
  ["utf-16be", Buffer.from([0xfe, 0xff])],
];

function createDecoder(head: Buffer, encoding: Encoding | undefined): Decoder {
  const [found, mark] = marks.find(([, each]) => head.indexOf(each) === 0) ?? [];
  if (found && encoding && !found.startsWith(encoding)) {
    const name = found.slice(0, 6).toUpperCase();
    throw new TextMistake(`begins with the mark of ${name}, but --encoding says ${encoding}`, 1);
  }
  const decode = found ? toDecoder(found) : toDecoder(encoding ?? "utf-8", head);
  let skipped = mark?.length ?? 0;
  return (bytes, isLast) => {
    const text = skipped === 0 ? bytes : bytes.subarray(skipped);
    skipped = 0;
    return decode(text, isLast);
  };
}

function toDecoder(encoding: Encoding | Found, head: Buffer = Buffer.alloc(0)): Decoder {
  switch (encoding) {
    case "utf-16le":
    case "utf-16be":
      return createUtf16Decoder(encoding);
    case "utf-8":
    case "utf-16": {
      const unmarked = findUnmarkedUtf16(head);
      if (unmarked) return createUtf16Decoder(unmarked);
      if (encoding === "utf-8") return (bytes) => bytes;
      throw new TextMistake("is not text in UTF-16", 1);
    }
    case "latin1":
      return (bytes) => Buffer.from(bytes.toString("latin1"));
    default:
      return createWindowsDecoder();
  }
}

/**
 * In UTF-16 each letter, digit and line feed of ASCII has a NUL beside it, always on the same side. A text in UTF-8 may
 * have a stray one.
 */
function findUnmarkedUtf16(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  let [even, odd] = [0, 0];
  for (let at = head.indexOf(0); at !== -1; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++;
    else odd++;
  }
  if (even === odd || (even + odd) * minBytesPerNul < head.length) return undefined;
  return odd > even ? "utf-16le" : "utf-16be";
}

function createUtf16Decoder(found: "utf-16le" | "utf-16be"): Decoder {
  const strict = new TextDecoder(found, { fatal: true, ignoreBOM: true });
  let line = 1;
  return (bytes, isLast) => {
    let text: string;
    try {
      text = strict.decode(bytes, { stream: !isLast });
    } catch {
      const [good = ""] = new TextDecoder(found).decode(bytes).split("\ufffd", 1);
      throw new TextMistake("is not text in UTF-16", line + countLines(Buffer.from(good)));
    }
    const block = Buffer.from(text);
    line += countLines(block);
    return block;
  };
}

/** The characters of Windows-1252 in place of Latin-1's control characters 80 to 9F; five of them are nothing. */
const windowsCharacters = "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ";

function createWindowsDecoder(): Decoder {
  let line = 1;
  return (bytes) => {
    const text = bytes
      .toString("latin1")
      .replaceAll(/[\u0080-\u009f]/g, (each) =>
        windowsCharacters.charAt(each.charCodeAt(0) - 0x80),
      );
    const at = bytes.includes(0) ? -1 : text.indexOf("\0"); // a NUL of the file's own is reported later
    const block = Buffer.from(text);
    if (at !== -1) {
      line += countLines(Buffer.from(text.slice(0, at)));
      throw new TextMistake("has a byte that is no character of Windows-1252", line);
    }
    line += countLines(block);
    return block;
  };
}

/** Converts what Windows and banks write: Windows-1252 has all characters of Latin-1. */
export const converting =
  "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE saves text in Latin-1 or Windows-1252 as UTF-8.";

function findMistake(block: Buffer, firstLine: number): TextMistake {
  let [start, line] = [0, firstLine];
  for (;;) {
    const end = block.indexOf(lineFeed, start);
    const text = block.subarray(start, end === -1 ? undefined : end);
    if (text.includes(0)) {
      const hint = "This may be another kind of file, or damaged: save it as text, in UTF-8.";
      return new TextMistake("holds a NUL character", line, hint);
    }
    if (!isUtf8(text) || end === -1) {
      return new TextMistake("is not text in UTF-8", line, converting);
    }
    start = end + 1;
    line++;
  }
}

export function describeCarriageReturns(): TextMistake {
  return new TextMistake(
    "ends with CR alone, as on old Macs: lines must end with LF or CR LF",
    1,
    String.raw`tr '\r' '\n' < FILE > NEWFILE converts it.`,
  );
}

function countLines(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(lineFeed); at !== -1; at = block.indexOf(lineFeed, at + 1)) count++;
  return count;
}
