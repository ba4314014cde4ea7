import { addAbortSignal, Readable } from "node:stream";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { parse, type Options } from "csv-parse";
import { mask } from "../../contract/mask.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { escapeControls } from "../../runtime/safe-text.ts";
import { expandHome } from "../../runtime/user-files.ts";
import { describePath, describeReadError, pathHint } from "../parse/read-text.ts";
import { addLineNumber, csvOptions } from "./csv-mistakes.ts";
import { findLayout } from "./find-layout.ts";
import { readBlocks } from "./read-blocks.ts";
import type { ReportOptions, RowReader } from "./recognize-columns.ts";
import { ReportMistake, type ReportLine } from "./report-line.ts";

const chunkBytes = 64 * 1024;

/**
 * Reads a report of the bank's (`-` is standard input) line by line, in memory that does not grow with it. Errors: the
 * file cannot be read, or it is wrong, with its line and column.
 */
export async function* readReport(
  path: string,
  options: ReportOptions,
  signal: AbortSignal,
): AsyncGenerator<ReportLine> {
  const name = describePath(path);
  const source =
    path === "-"
      ? process.stdin
      : createReadStream(expandHome(path), { highWaterMark: chunkBytes });
  addAbortSignal(signal, source);
  try {
    const blocks = readBlocks(readChunks(source, name));
    const head = await readHead(blocks);
    const { delimiter, header, reader } = findLayout(head, options);
    const toLines = createRowParser(header, reader);
    // The library passes on whatever this returns, but its type allows cells alone.
    const onRecord = toLines.parse as unknown as NonNullable<Options["on_record"]>;
    const parser = parse({ ...csvOptions, delimiter, on_record: onRecord });
    const parsing = pipeline(Readable.from(joinHead(head, blocks)), parser);
    parsing.catch(() => {}); // the loop below raises its failure
    try {
      for await (const lines of parser as AsyncIterable<ReportLine[]>) yield* lines;
    } catch (error) {
      throw addLineNumber(error, toLines.line());
    }
  } catch (error) {
    signal.throwIfAborted();
    throw describeMistake(error, name);
  } finally {
    source.destroy();
  }
}

async function* readChunks(source: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk as Buffer;
  } catch (error) {
    throw new CommandError(
      "unavailable",
      `${name} cannot be read: ${describeReadError(error)}.`,
      pathHint,
    );
  }
}

/** The first lines of a file, which have all of its header. */
async function readHead(blocks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const head: Buffer[] = [];
  for (let size = 0; size < chunkBytes;) {
    const { value, done } = await blocks.next();
    if (done) break;
    head.push(value);
    size += value.length;
  }
  return Buffer.concat(head);
}

async function* joinHead(head: Buffer, blocks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* blocks;
}

/** Parses the rows in order, and counts the lines of the file: a row begins after the one before it. */
function createRowParser(header: readonly string[], reader: RowReader) {
  let line = 1;
  let isHeader = true;
  return {
    /** The line on which the row begins that comes next. */
    line: () => line,
    /** Undefined for what is no row: the header, and an empty line. */
    parse: (cells: string[]): ReportLine[] | undefined => {
      if (!isHeader && !(cells.length === 1 && cells[0] === "")) {
        if (cells.length !== header.length) {
          throw new ReportMistake(
            `has ${cells.length} columns, but the first line has ${header.length}`,
          );
        }
        const lines = reader(cells, line);
        line += countLines(cells);
        return lines;
      }
      isHeader = false;
      line += countLines(cells);
      return undefined;
    },
  };
}

/** The parser's own count takes a line break inside quotes twice where it is CR LF. */
function countLines(cells: readonly string[]): number {
  let lines = 1;
  for (const cell of cells) if (cell.includes("\n")) lines += cell.split("\n").length - 1;
  return lines;
}

function describeMistake(error: unknown, name: string): unknown {
  if (!(error instanceof ReportMistake)) return error;
  const column =
    error.column === undefined ? "" : `the column ${mask(escapeControls(error.column))} `;
  return usageError(
    `${name}:${error.line ?? 1}: ${column}${error.message}`.replace(/\.?$/, "."),
    error.hint || undefined,
  );
}
