import type { CsvError } from "csv-parse";
import { maxLineBytes } from "../flags/read-text.ts";
import { ReportMistake } from "./report-line.ts";

/** The options of the parser, without the delimiter. */
export const csvOptions = {
  record_delimiter: ["\r\n", "\n"],
  relax_column_count: true, // the rows are counted with their line: see read-report.ts
  max_record_size: maxLineBytes,
};

/** Adds the line to a mistake that does not say which line it is about; the parser's own errors become mistakes. */
export function addLineNumber(error: unknown, line: number): unknown {
  if (isParserError(error)) {
    return new ReportMistake(csvMistakes[error.code] ?? "is no line of a CSV", { line });
  }
  if (!(error instanceof ReportMistake) || error.line !== undefined) return error;
  const { message, column, hint } = error;
  return new ReportMistake(message, { column, hint, line });
}

/** The parser's codes. An error of the file itself has one, too, and is no mistake in a line. */
function isParserError(error: unknown): error is CsvError {
  return Error.isError(error) && "code" in error && /^(?:CSV|INVALID)_/.test(String(error.code));
}

const csvMistakes: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "begins a row with a quote that is never closed: the file may be cut off",
  CSV_INVALID_CLOSING_QUOTE:
    "has text after a closing quote; a quote inside quotes is written twice",
  INVALID_OPENING_QUOTE: "has a quote in the middle of a cell without quotes around it",
  CSV_MAX_RECORD_SIZE: "begins a row of more than 1 MiB: a quote may never be closed",
};
