import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/text.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import { type OnRow, parseRows } from "../flags/read-rows.ts";
import {
  TextMistake,
  UnreadableFile,
  describePath,
  pathHint,
  readText,
} from "../flags/read-text.ts";
import { type ReportLine, ReportMistake, addLineNumber, findId } from "./report-line.ts";
import { type AmountForm, createAmountFormFinder } from "./parse-amount.ts";
import { type Layout, createColumnFinder, findLayout } from "./find-layout.ts";
import { useColumns, type Columns, type ReportOptions } from "./recognize-columns.ts";
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
    yield* parseRows(spool.read({ isLast: true }), layout, nameLine(reader));
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
  const look: OnRow<never> = (cells, line) => {
    if (!isDone()) see(cells, line);
    return [];
  };
  const rows = parseRows(readUntilDone(), layout, nameLine(look));
  try {
    for await (const _ of rows);
  } catch (error) {
    if (!isDone()) throw error; // else it may be that the last row was not read to its end
  }
}

/** The same for a row, whose mistake then says its line. */
function nameLine<T>(onRow: OnRow<T>): OnRow<T> {
  return (cells, line) => {
    try {
      return onRow(cells, line);
    } catch (error) {
      throw addLineNumber(error, line);
    }
  };
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
