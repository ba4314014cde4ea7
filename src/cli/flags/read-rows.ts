import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type CsvError, type Options, parse } from "csv-parse";
import { parse as parseWhole } from "csv-parse/sync";
import { TextMistake, maxLineBytes } from "./read-text.ts";

/** What parts the cells of a CSV. */
export const delimiters = [",", ";", "\t"];

/** The options of the parser, without the delimiter. */
const csvOptions = {
  record_delimiter: ["\r\n", "\n"],
  relax_column_count: true, // the rows are counted with their line
  max_record_size: maxLineBytes,
};

/** Parses the first `to` rows of a CSV. Errors: TextMistake. */
export function parseHead(head: Buffer, delimiter: string, to: number): string[][] {
  try {
    return parseWhole(head, { ...csvOptions, delimiter, to });
  } catch (error) {
    throw toMistake(error, 1);
  }
}

export type OnRow<T> = (cells: readonly string[], line: number) => T[];

/**
 * Parses the rows of a CSV in order, in memory that does not grow with it. `onRow` is called for each but the header and
 * empty ones, with the line of the file on which it begins. Errors: TextMistake, and what `onRow` throws.
 */
export async function* parseRows<T>(
  blocks: AsyncIterable<Buffer>,
  { delimiter, header }: { delimiter: string; header: readonly string[] },
  onRow: OnRow<T>,
): AsyncGenerator<T> {
  const counter = countLines(header, onRow);
  // The library passes on whatever this returns, but its type allows cells alone.
  const onRecord = counter.parse as unknown as NonNullable<Options["on_record"]>;
  const parser = parse({ ...csvOptions, delimiter, on_record: onRecord });
  const parsing = pipeline(Readable.from(blocks, { highWaterMark: 1 }), parser);
  parsing.catch(() => {}); // the loop below raises its failure
  try {
    for await (const found of parser as AsyncIterable<T[]>) yield* found;
  } catch (error) {
    throw toMistake(error, counter.line());
  }
}

/** Counts the lines of the file: a row begins after the one before it. */
function countLines<T>(header: readonly string[], onRow: OnRow<T>) {
  let line = 1;
  let isHeader = true;
  return {
    /** The line on which the row begins that comes next. */
    line: () => line,
    /** Undefined for what is no row: the header, and a row with nothing in it. */
    parse: (cells: string[]): T[] | undefined => {
      const isEmpty = cells.every((cell) => cell.trim() === "");
      const isRow = !isHeader && !isEmpty;
      if (isRow && cells.length !== header.length) {
        const message = `has ${cells.length} columns, but the first line has ${header.length}`;
        throw new TextMistake(message, line);
      }
      const found = isRow ? onRow(cells, line) : [];
      isHeader &&= isEmpty;
      line += countCellLines(cells);
      return found.length > 0 ? found : undefined;
    },
  };
}

/** The parser's own count takes a line break inside quotes twice where it is CR LF. */
function countCellLines(cells: readonly string[]): number {
  let lines = 1;
  for (const cell of cells) if (cell.includes("\n")) lines += cell.split("\n").length - 1;
  return lines;
}

/** The parser's own errors become mistakes in a line. An error of the file itself has a code, too, and is none. */
function toMistake(error: unknown, line: number): unknown {
  const isParsers =
    Error.isError(error) && "code" in error && /^(?:CSV|INVALID)_/.test(String(error.code));
  if (!isParsers) return error;
  return new TextMistake(csvMistakes[(error as CsvError).code] ?? "is no line of a CSV", line);
}

const csvMistakes: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "begins a row with a quote that is never closed: the file may be cut off",
  CSV_INVALID_CLOSING_QUOTE:
    "has text after a closing quote; a quote inside quotes is written twice",
  INVALID_OPENING_QUOTE: "has a quote in the middle of a cell without quotes around it",
  CSV_MAX_RECORD_SIZE: "begins a row of more than 1 MiB: a quote may never be closed",
};
