import { userInfo } from "node:os";
import type { Account } from "../../contract/administration.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import type { Administration } from "../../service/server/open-administration.ts";
import { resolveAccount, resolveDatabase } from "./resolve-settings.ts";

type DatabaseFlags = { database?: string | undefined };
type AccountFlags = DatabaseFlags & { account?: string | undefined };

/** Runs `work` on the service's own database. Without `createsDatabase` it must exist, named or not. */
export async function withService<T>(
  { database }: DatabaseFlags,
  work: (service: Administration) => Promise<T>,
  { createsDatabase = false } = {},
): Promise<T> {
  const { openAdministration } = await import("../../service/server/open-administration.ts");
  const { administration, close } = await openAdministration(
    resolveDatabase(database, process.env),
    { createsDatabase },
  );
  try {
    return await work(administration);
  } finally {
    await close();
  }
}

/** Runs `work` in the named account, else in the only one there is. */
export async function withAccount<T>(
  flags: AccountFlags,
  work: (service: Administration, account: string) => Promise<T>,
): Promise<T> {
  return await withService(flags, async (service) => {
    const named = resolveAccount(flags.account, process.env);
    return await work(service, selectAccount(await service.listAccounts(), named).id);
  });
}

/** Runs `work` for the named account, else for all of them. */
export async function withAccountFilter<T>(
  flags: AccountFlags,
  work: (service: Administration, account?: string) => Promise<T>,
): Promise<T> {
  const isNamed = resolveAccount(flags.account, process.env) !== undefined;
  return await (isNamed ? withAccount(flags, work) : withService(flags, work));
}

const maxNamed = 10;

/** Selects the account that `--account` names, else the only one there is. */
export function selectAccount(accounts: readonly Account[], id: string | undefined): Account {
  if (id !== undefined) return accounts.find((account) => account.id === id) ?? accountNotFound();
  return findOnly(accounts) ?? refuseUnclear(accounts, "Give the id of one");
}

/** Selects the accounts that `--account` names, or all, else the only one there is. */
export function selectAccounts(
  accounts: readonly Account[],
  ids: readonly string[] | undefined,
  isAll: boolean,
): readonly Account[] {
  if (isAll) return accounts;
  if (ids) return ids.map((id) => selectAccount(accounts, id));
  return [findOnly(accounts) ?? refuseUnclear(accounts, "Give --all-accounts, or the id of each")];
}

function findOnly([only, ...others]: readonly Account[]): Account | undefined {
  return others.length === 0 ? only : undefined;
}

function refuseUnclear(accounts: readonly Account[], remedy: string): never {
  throw usageError(
    `Missing --account: there are ${accounts.length} accounts.`,
    `${remedy}: ${nameSome(accounts)}.`,
  );
}

/** The ids and names of the first few, and how many more there are. */
export function nameSome(all: readonly { id: string; name: string }[]): string {
  const named = all.slice(0, maxNamed).map(({ id, name }) => `${id} (${name})`);
  return named.join(", ") + (all.length > maxNamed ? `, and ${all.length - maxNamed} more` : "");
}

/** Does not repeat the typed id: it may be a secret. */
export function accountNotFound(): never {
  throw new CommandError(
    "not_found",
    "There is no account with this id.",
    "See payments accounts list.",
  );
}

/** The actor of a command in the audit log: the system's user, and the user behind sudo. */
export function getCommandActor() {
  const [person, user] = [getPersonName(), getUserName()];
  const name = person === user ? user : `${person} (${user})`;
  return { type: "command", id: null, name } as const;
}

/** The name of the person who runs the command, who may have become another user with sudo. */
export function getPersonName(): string {
  return process.env["SUDO_USER"] || getUserName();
}

/** In a container a user may have a number but no name. */
function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
