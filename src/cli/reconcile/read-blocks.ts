import { isUtf8 } from "node:buffer";
import { ReportMistake } from "./report-line.ts";

/** A longer line is no line of a report: most likely a quote was never closed. */
export const maxRowBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts a file into blocks of whole lines, without its byte order mark. Errors: ReportMistake, where a line is not UTF-8,
 * holds a NUL character, or is too long, and where the lines end with CR alone.
 */
export async function* readBlocks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let isFirst = true;
  for await (const chunk of source) {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    const block = end === 0 ? undefined : Buffer.concat([rest, chunk.subarray(0, end)]);
    rest = block ? chunk.subarray(end) : Buffer.concat([rest, chunk]);
    if (rest.length > maxRowBytes) {
      if (isFirst && !block) assertLineFeeds(rest);
      const at = line + (block ? countLineFeeds(block) : 0);
      throw new ReportMistake("is a line of more than 1 MiB", { line: at });
    }
    if (!block) continue;
    yield check(block);
    line += countLineFeeds(block);
  }
  if (rest.length > 0) yield check(rest);

  function check(block: Buffer): Buffer {
    const text = isFirst ? dropByteOrderMark(block) : block;
    if (!isUtf8(text) || text.includes(0)) {
      throw (isFirst && findUtf16(text)) || findBrokenLine(text, line);
    }
    if (isFirst) assertLineFeeds(text);
    isFirst = false;
    return text;
  }
}

function dropByteOrderMark(block: Buffer): Buffer {
  const hasMark = block.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return hasMark ? block.subarray(byteOrderMark.length) : block;
}

/**
 * Spreadsheets write UTF-16 with a mark at its beginning, and other programs without one: then each letter has a NUL.
 */
function findUtf16(block: Buffer): ReportMistake | undefined {
  const [first, second] = block;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const unmarked = first === 0 ? "UTF-16BE" : "UTF-16LE";
  if (!hasMark && (first === 0) === (second === 0)) return undefined;
  const hint = `${convertFrom(hasMark ? "UTF-16" : unmarked)} saves it in UTF-8.`;
  return new ReportMistake("is text in UTF-16, not in UTF-8", { hint, line: 1 });
}

const convertFrom = (encoding: string) => `iconv -f ${encoding} -t UTF-8 FILE > NEWFILE`;

/** No character of UTF-8 but the line feed has its byte, so that each line can be checked by itself. */
function findBrokenLine(block: Buffer, firstLine: number): ReportMistake {
  let [start, line] = [0, firstLine];
  for (;;) {
    const end = block.indexOf(lineFeed, start);
    const text = block.subarray(start, end === -1 ? undefined : end);
    if (text.includes(0)) {
      const hint = "This may be another kind of file, or damaged: save it as CSV, in UTF-8.";
      return new ReportMistake("holds a NUL character", { hint, line });
    }
    if (!isUtf8(text) || end === -1) {
      const hint = `If it is in Latin-1, ${convertFrom("ISO-8859-1")} saves it in UTF-8.`;
      return new ReportMistake("is not text in UTF-8", { hint, line });
    }
    start = end + 1;
    line++;
  }
}

/** A file whose lines end with CR alone would be one line: its header, with no rows. A cell in quotes may have a CR. */
function assertLineFeeds(head: Buffer): void {
  const at = head.indexOf(carriageReturn);
  const next = head.indexOf(lineFeed);
  if (at === -1 || head[at + 1] === lineFeed || (next !== -1 && next < at)) return;
  let isQuoted = false;
  for (const byte of head.subarray(0, at)) if (byte === quote) isQuoted = !isQuoted;
  if (isQuoted) return;
  throw new ReportMistake("ends with CR alone, as on old Macs: lines must end with LF or CR LF", {
    hint: String.raw`tr '\r' '\n' < FILE > NEWFILE converts it.`,
    line: 1,
  });
}

function countLineFeeds(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(lineFeed); at !== -1; at = block.indexOf(lineFeed, at + 1)) count++;
  return count;
}
