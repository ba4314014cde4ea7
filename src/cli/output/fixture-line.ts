import type { ChalkInstance } from "chalk";
import { formatMoney } from "../../contract/field-values.ts";
import type { Payment } from "../../contract/payment.ts";
import { formatLocalTime } from "./format.ts";
import { escapeControls } from "../../runtime/text.ts";
import { colorStatus } from "./style.ts";

const kindWidth = "advance".length;
const statusWidth = "succeeded".length;
const gap = "  ";

/** Formats a step of fixtures that is done, and what it has made, as a line. */
export function formatStep(
  { kind, name }: { kind: string; name: string },
  made: Payment | { now: number },
  style: ChalkInstance,
): string {
  const parts =
    "now" in made
      ? [formatLocalTime(made.now)]
      : [
          colorStatus(style, made.status.padEnd(statusWidth)),
          escapeControls(made.id),
          formatMoney(made.amount, made.currency),
          ...(made.decline_code === null ? [] : [escapeControls(made.decline_code)]),
        ];
  return [style.dim(kind.padEnd(kindWidth)), ...parts, ...(name === "" ? [] : [name])].join(gap);
}
