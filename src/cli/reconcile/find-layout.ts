import type { TransactionType } from "../../contract/field-values.ts";
import { delimiters, parseHead } from "../flags/read-rows.ts";
import { TextMistake, describeCarriageReturns } from "../flags/read-text.ts";
import { formatCount } from "../output/style.ts";
import { parseCurrency, readAmount } from "./parse-amount.ts";
import {
  type ChosenColumns,
  type Columns,
  type ReportOptions,
  parseType,
  recognizeColumns,
} from "./recognize-columns.ts";
import {
  type FoundColumn,
  ReportMistake,
  containsId,
  describeName,
  listColumns,
  sayEncoding,
  takeColumn,
  unreadable,
} from "./report-line.ts";

/** A first line without any name, whatever the delimiter is. */
const blankLine = /^[\s,;"]*$/;
/** So many rows show by which delimiter they have a bank's columns. */
const shownRows = 50;
/** Each column of a bank's own layout takes memory. */
const maxColumns = 1_000;

/** How a file parts its columns, their names, and, where these are known, what they are. */
export type Layout = { delimiter: string; header: string[]; columns: Columns | undefined };

/**
 * Finds the one delimiter by which the header has known columns, else the one by which the first rows have what a
 * comparison needs. Errors: ReportMistake.
 */
export function findLayout(head: Buffer, options: ReportOptions): Layout {
  assertNamed(head);
  const layouts: Layout[] = [];
  const mistakes: { columns: number; mistake: ReportMistake }[] = [];
  for (const delimiter of delimiters) {
    let header: string[] = [];
    try {
      [header = []] = parseFirst(head, delimiter, 1);
      if (header.length > maxColumns) {
        throw new ReportMistake(`has more than ${formatCount(maxColumns)} columns`);
      }
      const columns = recognizeColumns(header, options);
      if (columns) return { delimiter, header, columns };
      layouts.push({ delimiter, header, columns });
    } catch (error) {
      // A header that is none with this delimiter may be one with another.
      if (!(error instanceof ReportMistake)) throw error;
      const { column, message, hint = listColumns(header) } = error;
      mistakes.push({
        columns: header.length,
        mistake: new ReportMistake(message, { column, hint }),
      });
    }
  }
  mistakes.sort((one, another) => another.columns - one.columns);
  layouts.sort((one, another) => another.header.length - one.header.length);
  const [layout] = layouts;
  if (mistakes[0] && mistakes[0].columns >= (layout?.header.length ?? 0)) throw mistakes[0].mistake;
  const fitting = layouts.find(({ delimiter, header }) => {
    const finder = createColumnFinder(header, options.types);
    try {
      const [, ...rows] = parseFirst(head, delimiter, shownRows);
      rows.forEach((cells) => finder.see(cells, 1));
    } catch {
      return false; // a mistake in a row is reported when it is read
    }
    return finder.isPlausible();
  });
  const found = fitting ?? layout;
  if (found) return found;
  throw new ReportMistake("has no columns");
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const quote = 0x22;

function assertNamed(head: Buffer): void {
  if (head.length === 0) {
    throw new ReportMistake("is empty: it has no line with the names of its columns");
  }
  assertLineFeeds(head);
  const end = head.indexOf(lineFeed);
  const first = head.toString("utf8", 0, end === -1 ? undefined : end);
  if (/^"?sep=/i.test(first)) {
    throw new ReportMistake("begins with a line for Excel alone, which names the separator", {
      hint: "Remove the first line: the separator is found without it.",
    });
  }
  if (!blankLine.test(first)) return;
  throw new ReportMistake("has no columns: the first line must have their names");
}

/** A file whose lines end with CR alone would be one line: its header, with no rows. A cell in quotes may have a CR. */
function assertLineFeeds(head: Buffer): void {
  const at = head.indexOf(carriageReturn);
  const next = head.indexOf(lineFeed);
  if (at === -1 || head[at + 1] === lineFeed || (next !== -1 && next < at)) return;
  let isQuoted = false;
  for (const byte of head.subarray(0, at)) if (byte === quote) isQuoted = !isQuoted;
  if (isQuoted) return;
  throw describeCarriageReturns();
}

function parseFirst(head: Buffer, delimiter: string, to: number): string[][] {
  try {
    return parseHead(head, delimiter, to);
  } catch (error) {
    throw error instanceof TextMistake ? new ReportMistake(error.message, { line: 1 }) : error;
  }
}

type Cell = { line: number; text: string };

/** The kinds of cells that a column has had so far, the empty ones left out. */
type Content = {
  column: FoundColumn;
  hasId: boolean;
  amounts: { count: number; hasDecimals: boolean; firstOther: Cell | undefined };
  codes: { count: number; isAll: boolean };
  types: { moves: boolean; isAll: boolean };
};

const hint = `Say which is which: --map "payment=COLUMN,amount=COLUMN,currency=COLUMN", with type=COLUMN where the sign does not say it.`;

/**
 * Finds out from what the rows hold which columns they have, whatever these are called: payments' ids, amounts with
 * decimals, currencies' codes, and known words for types of lines.
 */
export function createColumnFinder(
  header: readonly string[],
  types: ReadonlyMap<string, TransactionType>,
) {
  const contents = header.map((_, index): Content => ({
    column: takeColumn(header, index),
    hasId: false,
    amounts: { count: 0, hasDecimals: false, firstOther: undefined },
    codes: { count: 0, isAll: true },
    types: { moves: false, isAll: true },
  }));
  return {
    see: (cells: readonly string[], line: number): void => {
      for (const content of contents) {
        const text = content.column.get(cells);
        if (text.trim() !== "") seeCell(content, { line, text }, types);
      }
    },
    /** Errors: ReportMistake, where a column is missing, or two could be meant. */
    find: (): ChosenColumns => {
      const [payment] = choose(contents, "payments' ids", ({ hasId }) => hasId);
      const [amount] = choose(
        contents,
        "amounts with decimals",
        ({ amounts }) => amounts.hasDecimals && !amounts.firstOther,
      );
      const [currency] = choose(contents, "currencies' codes", isOfCodes);
      const [type] = choose(contents, "types of lines", isOfTypes);
      if (!payment) throw describeMissing(header, "payments' ids");
      if (!amount)
        throw describeOtherAmount(contents) ?? describeMissing(header, "amounts with decimals");
      return { payment, amount, currency, type };
    },
    /** Whether the rows so far have the columns without which nothing can be compared. */
    isPlausible: (): boolean =>
      contents.some(({ hasId }) => hasId) &&
      contents.some(({ amounts }) => amounts.hasDecimals && !amounts.firstOther),
  };
}

function seeCell(content: Content, cell: Cell, words: ReadonlyMap<string, TransactionType>): void {
  const { amounts, codes, types } = content;
  const { text } = cell;
  // A cell with the ids of several payments is refused when its row is read.
  content.hasId ||= containsId(text);
  if (!amounts.firstOther) {
    // A text that could not be read may be a currency's sign: then the column has amounts, once the encoding is known.
    const readings = attempt(() => readAmount(text.replaceAll(unreadable, "¤")).readings);
    if (!readings || text.includes(unreadable)) amounts.firstOther = cell;
    else amounts.count++;
    amounts.hasDecimals ||= [readings?.point, readings?.comma].some((each) => each?.fraction);
  }
  if (codes.isAll) {
    codes.isAll = attempt(() => parseCurrency(text)) !== undefined;
    codes.count++;
  }
  if (types.isAll) {
    const type = parseType(text, words);
    types.isAll = type !== undefined;
    types.moves ||= type !== undefined && type !== "other";
  }
}

const isOfCodes = ({ codes }: Content) => codes.isAll && codes.count > 0;
const isOfTypes = ({ types }: Content) => types.isAll && types.moves;

function choose(
  contents: readonly Content[],
  what: string,
  isOne: (content: Content) => boolean,
): FoundColumn[] {
  const found = contents.filter(isOne).map(({ column }) => column);
  if (found.length < 2) return found;
  const names = new Intl.ListFormat("en-GB").format(found.map(({ name }) => describeName(name)));
  throw new ReportMistake(`has several columns with ${what}: ${names}`, { hint });
}

function describeMissing(header: readonly string[], what: string): ReportMistake {
  const message = `has columns that are not known: none has ${what}. ${listColumns(header)}`;
  const isUnreadable = header.some((name) => name.includes(unreadable));
  return new ReportMistake(message, { hint: isUnreadable ? `${hint} ${sayEncoding}` : hint });
}

/** The cell for which the column with most amounts is none of amounts. */
function describeOtherAmount(contents: readonly Content[]): ReportMistake | undefined {
  const [closest] = contents
    .filter(({ amounts }) => amounts.hasDecimals && amounts.firstOther)
    .toSorted((one, another) => another.amounts.count - one.amounts.count);
  if (!closest?.amounts.firstOther) return undefined;
  const { line, text } = closest.amounts.firstOther;
  return text.includes(unreadable)
    ? new ReportMistake("is not text in UTF-8", {
        line,
        column: closest.column.name,
        hint: sayEncoding,
      })
    : new ReportMistake("is no amount, unlike those above", {
        line,
        column: closest.column.name,
        hint,
      });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReportMistake) return undefined;
    throw error;
  }
}
