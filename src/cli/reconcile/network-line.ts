import type { ReportLine } from "./report-line.ts";
import { stripeTypes } from "./stripe-types.ts";

/** Money that a card network says it moved. */
type NetworkTransaction = Omit<ReportLine, "type" | "line"> & { type: string };

/** A network's transaction as a line of its books. A category that came after this program moves no payment's money. */
export function toReportLine({ type, ...transaction }: NetworkTransaction): ReportLine {
  return { ...transaction, type: stripeTypes.get(type) ?? "other", line: null };
}
