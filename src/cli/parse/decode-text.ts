import { isUtf8 } from "node:buffer";

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
