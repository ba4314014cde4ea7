import type { ChalkInstance } from "chalk";
import type { ApiKey, IssuedKey } from "../../contract/key.ts";
import type { TableLayout } from "./field-text.ts";
import { formatLocalTime } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { formatDetails, formatTable } from "./table.ts";

/** One key for a person to read; whole where it has just been made. */
export function formatKey(key: ApiKey | IssuedKey, style: ChalkInstance): string {
  return formatDetails(
    [
      ["Key", "key" in key ? style.bold(key.key) : `…${key.last4}`],
      ["ID", key.id],
      ["Account", key.account],
      ["Mode", key.mode],
      ["Name", escapeControls(key.name)],
      ["Created", formatLocalTime(key.created)],
      ["Last used", "key" in key ? undefined : lastUse(key)],
      ["State", stateOf(key)],
    ],
    style,
  );
}

/** Keys in a table as wide as the terminal, with their accounts where there are several. */
export function formatKeys(keys: ApiKey[], layout: TableLayout): string {
  const several = new Set(keys.map(({ account }) => account)).size > 1;
  return formatTable(
    ["ID", ...(several ? ["ACCOUNT"] : []), "MODE", "NAME", "KEY", "CREATED", "LAST USED", "STATE"],
    keys.map((key) => [
      key.id,
      ...(several ? [key.account] : []),
      key.mode,
      escapeControls(key.name),
      `…${key.last4}`,
      formatLocalTime(key.created),
      lastUse(key),
      stateOf(key),
    ]),
    { ...layout, whole: ["ID", "ACCOUNT"] },
  );
}

function lastUse({ last_used_at }: ApiKey): string {
  return last_used_at === null ? "never" : formatLocalTime(last_used_at);
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at !== null) return `revoked ${formatLocalTime(revoked_at)}`;
  if (expires_at === null) return "active";
  const word = expires_at * 1000 <= Date.now() ? "expired" : "active until";
  return `${word} ${formatLocalTime(expires_at)}`;
}
