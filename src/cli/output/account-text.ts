import type { ChalkInstance } from "chalk";
import type { Account } from "../../contract/account.ts";
import type { TableLayout } from "./field-text.ts";
import { localTime } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { details, table } from "./table.ts";

/** One account for a person to read. */
export function accountText(account: Account, style: ChalkInstance): string {
  return details(
    [
      ["ID", account.id],
      ["Name", safeText(account.name)],
      ["Version", account.default_version],
      ["Created", localTime(account.created)],
    ],
    style,
  );
}

/** Accounts in a table as wide as the terminal. */
export function accountsTable(accounts: Account[], layout: TableLayout): string {
  return table(
    ["ID", "NAME", "VERSION", "CREATED"],
    accounts.map(({ id, name, default_version, created }) => [
      id,
      safeText(name),
      default_version,
      localTime(created),
    ]),
    layout,
  );
}
