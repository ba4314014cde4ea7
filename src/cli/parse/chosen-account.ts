import type { Account } from "../../contract/account.ts";
import { CommandError, usageError } from "../errors/command-error.ts";

const mostNamed = 10;

/** The account that `--account` names; where that is left out, the only one there is. */
export function chosenAccount(accounts: readonly Account[], id: string | undefined): Account {
  if (id !== undefined) return accounts.find((account) => account.id === id) ?? accountNotFound();
  return onlyOf(accounts) ?? unclear(accounts, "Give the id of one");
}

/** The accounts that `--account` names, or all; where neither is given, the only one there is. */
export function chooseAccounts(
  accounts: readonly Account[],
  ids: readonly string[] | undefined,
  isAll: boolean,
): readonly Account[] {
  if (isAll) return accounts;
  if (ids) return ids.map((id) => chosenAccount(accounts, id));
  return [onlyOf(accounts) ?? unclear(accounts, "Give --all-accounts, or the id of each")];
}

function onlyOf([only, ...others]: readonly Account[]): Account | undefined {
  return others.length === 0 ? only : undefined;
}

function unclear(accounts: readonly Account[], remedy: string): never {
  const named = accounts.slice(0, mostNamed).map((account) => `${account.id} (${account.name})`);
  const more = accounts.length > mostNamed ? `, and ${accounts.length - mostNamed} more` : "";
  throw usageError(
    `Missing --account: there are ${accounts.length} accounts.`,
    `${remedy}: ${named.join(", ")}${more}.`,
  );
}

/** No account has the id that was typed, which may be a secret in the wrong place. */
export function accountNotFound(): never {
  throw new CommandError(
    "not_found",
    "There is no account with this id.",
    "See payments accounts list.",
  );
}
