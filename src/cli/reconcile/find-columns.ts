import type { TransactionType } from "../../contract/field-values.ts";
import { parseCurrency, readAmount } from "./parse-amount.ts";
import { parseType, type ChosenColumns } from "./recognize-columns.ts";
import {
  describeName,
  containsId,
  listColumns,
  sayEncoding,
  takeColumn,
  unreadable,
  type FoundColumn,
} from "./report-column.ts";
import { ReportMistake } from "./report-line.ts";

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

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ReportMistake) return undefined;
    throw error;
  }
}
