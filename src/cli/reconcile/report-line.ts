import type { TransactionType } from "../../contract/field-values.ts";

/** A line of the bank's books. */
export type ReportLine = {
  /** The payment's id; empty where the line has none. */
  payment: string;
  /** `pending` and `failed`: a CSV of this command lists a payment for which no money moved. */
  type: TransactionType | "pending" | "failed";
  /** In minor units, without a sign. */
  amount: number;
  currency: string;
  /** In Unix seconds; null where the books do not say. */
  created: number | null;
  /** The line of the file on which the row begins; null for a network's. */
  line: number | null;
};

/** A file of the bank's that cannot be compared; the message says what is wrong with the line, or with its column. */
export class ReportMistake extends Error {
  override name = "ReportMistake";
  readonly column: string | undefined;
  readonly hint: string | undefined;
  /** Left out by the readers of cells, which do not know the line: `addLineNumber` adds it. */
  readonly line: number | undefined;

  constructor(
    message: string,
    { column, hint, line }: Partial<Pick<ReportMistake, "column" | "hint" | "line">> = {},
  ) {
    super(message);
    this.column = column;
    this.hint = hint;
    this.line = line;
  }
}
