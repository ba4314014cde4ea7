import type { ChalkInstance } from "chalk";
import type { InvitedOperator, Operator } from "../../contract/operator.ts";
import type { TableLayout } from "./field-text.ts";
import { formatLocalTime } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { formatDetails, formatTable } from "./table.ts";

/** One operator for a person to read; with the link where it has just been made. */
export function formatOperator(operator: Operator | InvitedOperator, style: ChalkInstance): string {
  const invitation = "invitation" in operator ? operator.invitation : undefined;
  return formatDetails(
    [
      ["Link", invitation && style.bold(invitation.url)],
      ["Good until", invitation && formatLocalTime(invitation.expires_at)],
      ["ID", operator.id],
      ["Name", escapeControls(operator.name)],
      ["Role", operator.role],
      ["Accounts", operator.accounts.join(", ") || "none"],
      ["State", operator.status],
      ["Last seen", lastSeen(operator)],
    ],
    style,
  );
}

/** Operators in a table as wide as the terminal. */
export function formatOperators(operators: Operator[], layout: TableLayout): string {
  return formatTable(
    ["ID", "NAME", "ROLE", "STATE", "LAST SEEN", "ACCOUNTS"],
    operators.map((operator) => [
      operator.id,
      escapeControls(operator.name),
      operator.role,
      operator.status,
      lastSeen(operator),
      operator.accounts.join(" "),
    ]),
    layout,
  );
}

function lastSeen({ last_seen_at }: Operator): string {
  return last_seen_at === null ? "never" : formatLocalTime(last_seen_at);
}
