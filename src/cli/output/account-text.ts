import type { ChalkInstance } from "chalk";
import type { Account } from "../../contract/account.ts";
import type { TableLayout } from "./field-text.ts";
import { formatLocalTime } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { formatDetails, formatTable } from "./table.ts";

/** One account for a person to read. */
export function formatAccount(account: Account, style: ChalkInstance): string {
  return formatDetails(
    [
      ["ID", account.id],
      ["Name", escapeControls(account.name)],
      ["Version", account.default_version],
      ["Created", formatLocalTime(account.created)],
    ],
    style,
  );
}

/** Accounts in a table as wide as the terminal. */
export function formatAccounts(accounts: Account[], layout: TableLayout): string {
  return formatTable(
    ["ID", "NAME", "VERSION", "CREATED"],
    accounts.map(({ id, name, default_version, created }) => [
      id,
      escapeControls(name),
      default_version,
      formatLocalTime(created),
    ]),
    layout,
  );
}
