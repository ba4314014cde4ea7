import { parse } from "csv-parse/sync";
import { mask } from "../../contract/mask.ts";
import { escapeControls } from "../../runtime/safe-text.ts";
import { addLineNumber, csvOptions } from "./csv-mistakes.ts";
import { recognizeColumns, type ReportOptions, type RowReader } from "./recognize-columns.ts";
import { ReportMistake } from "./report-line.ts";

const delimiters = [",", ";", "\t"];
/** A first line without any name, whatever the delimiter is. */
const blankLine = /^[\s,;"]*$/;

type Layout = { delimiter: string; header: string[]; reader: RowReader };

/** Finds the one delimiter by which the header has known columns. Errors: ReportMistake. */
export function findLayout(head: Buffer, options: ReportOptions): Layout {
  assertNamed(head);
  const mistakes: { columns: number; mistake: ReportMistake }[] = [];
  const layouts = delimiters.flatMap((delimiter): Layout[] => {
    let header: string[] = [];
    try {
      header = parseHeader(head, delimiter);
      const reader = recognizeColumns(header, options);
      if (reader) return [{ delimiter, header, reader }];
      mistakes.push({ columns: header.length, mistake: describeUnknownColumns(header) });
    } catch (error) {
      // A header that is none with this delimiter may be one with another.
      if (!(error instanceof ReportMistake)) throw error;
      const { column, message, hint = listColumns(header) } = error;
      mistakes.push({
        columns: header.length,
        mistake: new ReportMistake(message, { column, hint }),
      });
    }
    return [];
  });
  const [layout] = layouts;
  if (layout) return layout;
  const [closest] = mistakes.toSorted((one, another) => another.columns - one.columns);
  throw closest?.mistake ?? new ReportMistake("has no columns");
}

function assertNamed(head: Buffer): void {
  if (head.length === 0) {
    throw new ReportMistake("is empty: it has no line with the names of its columns");
  }
  const end = head.indexOf("\n");
  const first = head.toString("utf8", 0, end === -1 ? undefined : end);
  if (/^"?sep=/i.test(first)) {
    throw new ReportMistake("begins with a line for Excel alone, which names the separator", {
      hint: "Remove the first line: the separator is found without it.",
    });
  }
  if (!blankLine.test(first)) return;
  throw new ReportMistake("has no columns: the first line must have their names");
}

function parseHeader(head: Buffer, delimiter: string): string[] {
  try {
    return parse(head, { ...csvOptions, delimiter, to: 1 })[0] ?? [];
  } catch (error) {
    throw addLineNumber(error, 1);
  }
}

function describeUnknownColumns(header: string[]): ReportMistake {
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
