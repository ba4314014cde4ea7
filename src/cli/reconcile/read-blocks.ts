import { isUtf8 } from "node:buffer";
import { ReportMistake } from "./report-line.ts";

/** A longer line is no line of a report: most likely a quote was never closed. */
export const maxRowBytes = 1024 * 1024;
const lineFeed = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text of a file is broken at a line. */
export class BrokenText extends ReportMistake {
  override name = "BrokenText";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Cuts a file into blocks of whole lines, without its byte order mark. Errors: BrokenText, where a line is not UTF-8,
 * holds a NUL character, or is too long.
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
      const at = line + (block ? countLineFeeds(block) : 0);
      throw new BrokenText(at, "is a line of more than 1 MiB");
    }
    if (!block) continue;
    yield check(block);
    line += countLineFeeds(block);
  }
  if (rest.length > 0) yield check(rest);

  function check(block: Buffer): Buffer {
    const text = isFirst ? dropByteOrderMark(block) : block;
    isFirst = false;
    if (isUtf8(text) && !text.includes(0)) return text;
    throw findBrokenLine(text, line);
  }
}

function dropByteOrderMark(block: Buffer): Buffer {
  const hasMark = block.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return hasMark ? block.subarray(byteOrderMark.length) : block;
}

/** No character of UTF-8 but the line feed has its byte, so that each line can be checked by itself. */
function findBrokenLine(block: Buffer, firstLine: number): BrokenText {
  let [start, line] = [0, firstLine];
  for (;;) {
    const end = block.indexOf(lineFeed, start);
    const text = block.subarray(start, end === -1 ? undefined : end);
    if (!isUtf8(text)) return new BrokenText(line, "is not text in UTF-8");
    if (text.includes(0)) return new BrokenText(line, "holds a NUL character");
    if (end === -1) return new BrokenText(firstLine, "is not text in UTF-8");
    start = end + 1;
    line++;
  }
}

function countLineFeeds(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(lineFeed); at !== -1; at = block.indexOf(lineFeed, at + 1)) count++;
  return count;
}
