import { CsvError } from "csv-parse";
import { BrokenText, maxRowBytes } from "./read-blocks.ts";
import { ReportMistake } from "./report-line.ts";

/** The options of the parser, without the delimiter. */
export const csvOptions = {
  record_delimiter: ["\r\n", "\n"],
  relax_column_count: true, // the rows are counted with their line: see read-report.ts
  max_record_size: maxRowBytes,
};

/** A mistake with its line. */
export class PlacedMistake extends ReportMistake {
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

/** Adds the line to an error, where it is about one and does not say which. */
export function toPlaced(error: unknown, line: number): unknown {
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
