import { addAbortSignal, Readable } from "node:stream";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { CsvError, parse, type Options } from "csv-parse";
import { parse as parseAtOnce } from "csv-parse/sync";
import { mask } from "../../contract/mask.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { escapeControls } from "../output/safe-text.ts";
import { describeReadError } from "../parse/read-input.ts";
import { BrokenText, maxRowBytes, readBlocks } from "./read-blocks.ts";
import { recognizeColumns, type ReportOptions, type RowReader } from "./recognize-columns.ts";
import { ReportMistake, type ReportLine } from "./report-line.ts";

const chunkBytes = 64 * 1024;
const delimiters = [",", ";", "\t"];
const csvOptions = {
  record_delimiter: ["\r\n", "\n"],
  relax_column_count: true, // the rows are counted here, with their line
  max_record_size: maxRowBytes,
};

/**
 * Reads a report of the bank's (`-` is standard input) line by line, in memory that does not grow with it. Errors: the
 * file cannot be read, or it is wrong, with its line and column.
 */
export async function* readReport(
  path: string,
  options: ReportOptions,
  signal: AbortSignal,
): AsyncGenerator<ReportLine> {
  const name = path === "-" ? "standard input" : mask(escapeControls(path));
  const source =
    path === "-" ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes });
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
      throw toPlaced(error, toLines.line());
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
      "Give the path of a file, or - for standard input.",
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

type Layout = { delimiter: string; header: string[]; reader: RowReader };

/** Finds the one delimiter by which the header has known columns. Errors: ReportMistake. */
function findLayout(head: Buffer, options: ReportOptions): Layout {
  const mistakes: { columns: number; mistake: ReportMistake }[] = [];
  const layouts = delimiters.flatMap((delimiter): Layout[] => {
    let header: string[] = [];
    try {
      header = parseHeader(head, delimiter);
      const reader = recognizeColumns(header, options);
      if (reader) return [{ delimiter, header, reader }];
      mistakes.push({ columns: header.length, mistake: describeUnknown(header) });
    } catch (error) {
      // A header that is none with this delimiter may be one with another.
      if (!(error instanceof ReportMistake)) throw error;
      const { column, message, hint = listColumns(header) } = error;
      const place = column === undefined ? { hint } : { column, hint };
      mistakes.push({ columns: header.length, mistake: new ReportMistake(message, place) });
    }
    return [];
  });
  const [layout] = layouts;
  if (layout) return layout;
  const [closest] = mistakes.toSorted((one, another) => another.columns - one.columns);
  throw closest?.mistake ?? new ReportMistake("has no columns");
}

function parseHeader(head: Buffer, delimiter: string): string[] {
  if (head.length === 0) {
    throw new ReportMistake("is empty: it has no line with the names of its columns");
  }
  try {
    return parseAtOnce(head, { ...csvOptions, delimiter, to: 1 })[0] ?? [];
  } catch (error) {
    throw toPlaced(error, 1);
  }
}

function describeUnknown(header: string[]): ReportMistake {
  const hint = `Say which is which: --map "payment=COLUMN,amount=COLUMN,currency=COLUMN,type=COLUMN" --amounts minor, or major for amounts such as 49.99.`;
  return new ReportMistake(`has columns that are not known. ${listColumns(header)}`, { hint });
}

const maxListedColumns = 30;

function listColumns(header: string[]): string {
  if (header.length === 0) return "";
  const names = header
    .slice(0, maxListedColumns)
    .map((name) => mask(escapeControls(name.length > 60 ? `${name.slice(0, 60)}…` : name)));
  const more = header.length - names.length;
  return `Its columns are: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
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

/** A mistake with its line. */
class PlacedMistake extends ReportMistake {
  override name = "PlacedMistake";
  readonly line: number;

  constructor(line: number, { message, column, hint }: ReportMistake) {
    super(message, {
      ...(column !== undefined && { column }),
      ...(hint !== undefined && { hint }),
    });
    this.line = line;
  }
}

function toPlaced(error: unknown, line: number): unknown {
  if (error instanceof BrokenText || error instanceof PlacedMistake) return error;
  if (error instanceof ReportMistake) return new PlacedMistake(line, error);
  if (!(error instanceof CsvError)) return error;
  const message = csvMistakes[error.code] ?? "is no line of a CSV";
  return new PlacedMistake(line, new ReportMistake(message));
}

const csvMistakes: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "begins a row with a quote that is never closed: the file may be cut off",
  CSV_INVALID_CLOSING_QUOTE:
    "has text after a closing quote; a quote inside quotes is written twice",
  INVALID_OPENING_QUOTE: "has a quote in the middle of a cell without quotes around it",
  CSV_MAX_RECORD_SIZE: "begins a row of more than 1 MiB: a quote may never be closed",
};

function describeMistake(error: unknown, name: string): unknown {
  if (!(error instanceof ReportMistake)) return error;
  const line = error instanceof PlacedMistake || error instanceof BrokenText ? error.line : 1;
  const column =
    error.column === undefined ? "" : `the column ${mask(escapeControls(error.column))} `;
  return usageError(
    `${name}:${line}: ${column}${error.message}`.replace(/\.?$/, "."),
    error.hint || undefined,
  );
}
