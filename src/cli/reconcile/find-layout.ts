import { parse } from "csv-parse/sync";
import { formatCount } from "../output/format.ts";
import { describeCarriageReturns } from "../flags/read-text.ts";
import { addLineNumber, csvOptions } from "./csv-mistakes.ts";
import { createColumnFinder } from "./find-columns.ts";
import { recognizeColumns, type Columns, type ReportOptions } from "./recognize-columns.ts";
import { listColumns } from "./report-column.ts";
import { ReportMistake } from "./report-line.ts";

const delimiters = [",", ";", "\t"];
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
      [header = []] = parseHead(head, delimiter, 1);
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
      const [, ...rows] = parseHead(head, delimiter, shownRows);
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

function parseHead(head: Buffer, delimiter: string, to: number): string[][] {
  try {
    return parse(head, { ...csvOptions, delimiter, to });
  } catch (error) {
    throw addLineNumber(error, 1);
  }
}
