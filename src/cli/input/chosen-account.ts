import type { Account } from "../../contract/account.ts";
import { CommandError, usageError } from "../endings/command-error.ts";

const mostNamed = 10;

/** The account that `--account` names; where that is left out, the only one there is. */
export function chosenAccount(accounts: readonly Account[], id: string | undefined): Account {
  if (id !== undefined) return accounts.find((account) => account.id === id) ?? noAccount();
  const [only, ...others] = accounts;
  if (only && others.length === 0) return only;
  const named = accounts.slice(0, mostNamed).map((account) => `${account.id} (${account.name})`);
  const more = accounts.length > mostNamed ? `, and ${accounts.length - mostNamed} more` : "";
  throw usageError(
    `Missing --account: there are ${accounts.length} accounts.`,
    `Give the id of one: ${named.join(", ")}${more}.`,
  );
}

/** No account has the id that was typed, which may be a secret in the wrong place. */
export function noAccount(): never {
  throw new CommandError(
    "not_found",
    "There is no account with this id.",
    "See payments accounts list.",
  );
}
