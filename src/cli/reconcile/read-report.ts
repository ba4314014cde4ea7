import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parse, type Options } from "csv-parse";
import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/text.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import {
  TextMistake,
  UnreadableFile,
  describePath,
  pathHint,
  readText,
} from "../flags/read-text.ts";
import { type ReportLine, ReportMistake, addLineNumber, csvOptions } from "./report-line.ts";
import { type AmountForm, createAmountFormFinder } from "./parse-amount.ts";
import { type Layout, createColumnFinder, findLayout } from "./find-layout.ts";
import { useColumns, type Columns, type ReportOptions } from "./recognize-columns.ts";
import { findId } from "./report-column.ts";
import { openSpool, type Spool } from "./temporary-books.ts";

const headBytes = 64 * 1024;

/**
 * Reads a report of the bank's (`-` is standard input) line by line, in memory that does not grow with it. What its
 * columns and amounts mean may be known only far behind its beginning: so much of it is read first, and read again
 * from a spool. Errors: the file cannot be read, or it is wrong, with its line and column.
 */
export async function* readReport(
  path: string,
  options: ReportOptions,
  signal: AbortSignal,
): AsyncGenerator<ReportLine> {
  const name = describePath(path);
  const { encoding } = options;
  const text = readText(path, { encoding, isLenient: encoding === undefined, signal });
  try {
    using spool = openSpool(text);
    const layout = findLayout(await readHead(spool), options);
    const columns = layout.columns ?? (await findColumns(spool, layout, options));
    const reader = columns.createReader(await findAmountForm(spool, layout, columns, options));
    yield* parseRows(spool.read({ isLast: true }), layout, reader);
  } catch (error) {
    signal.throwIfAborted();
    throw describeMistake(error, name);
  } finally {
    await text.return(undefined);
  }
}

/** The first lines of a file, which have all of its header. */
async function readHead(spool: Spool): Promise<Buffer> {
  const head: Buffer[] = [];
  let size = 0;
  for await (const block of spool.read()) {
    head.push(block);
    size += block.length;
    if (size >= headBytes) break;
  }
  return Buffer.concat(head);
}

/** Finds the columns of a bank's own layout by what all of its rows hold. */
async function findColumns(spool: Spool, layout: Layout, options: ReportOptions): Promise<Columns> {
  const finder = createColumnFinder(layout.header, options.types);
  await lookAtRows(spool, layout, { see: finder.see, isDone: () => false });
  return useColumns(finder.find(), options, (text) => findId(text) ?? "");
}

/** Looks at amounts until it is known how the file writes them. */
async function findAmountForm(
  spool: Spool,
  layout: Layout,
  columns: Columns,
  { amounts: unit, decimal }: ReportOptions,
): Promise<AmountForm> {
  const finder = createAmountFormFinder({ unit, decimal }, columns.defaultUnit);
  const see = (cells: readonly string[], line: number) => {
    const money = columns.findMoney(cells);
    if (!money) return;
    const { written, currency, column } = money;
    finder.see(written, { currency, line, column: column.name });
  };
  await lookAtRows(spool, layout, { see, isDone: finder.isDone });
  return finder.find();
}

type Look = { see: (cells: readonly string[], line: number) => void; isDone: () => boolean };

async function lookAtRows(spool: Spool, layout: Layout, { see, isDone }: Look): Promise<void> {
  async function* readUntilDone(): AsyncGenerator<Buffer> {
    if (isDone()) return;
    for await (const block of spool.read()) {
      yield block;
      if (isDone()) return;
    }
  }
  const rows = parseRows(readUntilDone(), layout, (cells, line) => {
    if (!isDone()) see(cells, line);
    return [];
  });
  try {
    for await (const _ of rows);
  } catch (error) {
    if (!isDone()) throw error; // else it may be that the last row was not read to its end
  }
}

type OnRow<T> = (cells: readonly string[], line: number) => T[];

/** Parses the rows in order; `onRow` is called for each but the header and empty ones. Errors: ReportMistake. */
async function* parseRows<T>(
  blocks: AsyncIterable<Buffer>,
  { delimiter, header }: Layout,
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
    throw addLineNumber(error, counter.line());
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
      const isRow = !isHeader && cells.some((cell) => cell.trim() !== "");
      if (isRow && cells.length !== header.length) {
        throw new ReportMistake(
          `has ${cells.length} columns, but the first line has ${header.length}`,
        );
      }
      const found = isRow ? onRow(cells, line) : [];
      isHeader = false;
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

function describeMistake(error: unknown, name: string): unknown {
  if (error instanceof UnreadableFile) {
    return new CommandError("unavailable", `${name} cannot be read: ${error.message}.`, pathHint);
  }
  const isKnown = error instanceof ReportMistake || error instanceof TextMistake;
  if (!isKnown) return error;
  const named = error instanceof ReportMistake ? error.column : undefined;
  const column = named === undefined ? "" : `the column ${mask(escapeControls(named))} `;
  return usageError(
    `${name}:${error.line ?? 1}: ${column}${error.message}`.replace(/\.?$/, "."),
    error.hint || undefined,
  );
}
