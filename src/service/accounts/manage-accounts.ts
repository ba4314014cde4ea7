import { defaultAccountName, type Account } from "../../contract/account.ts";
import type { Actor } from "../ports/activity.ts";
import { newestVersion, type Version } from "../../contract/headers.ts";
import type { KeyAccount } from "../../contract/schemas.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { invalidKeyError } from "./authenticate.ts";
import { buildAuditEntries } from "./audit-log.ts";
import type { StoredAccount } from "../ports/account-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import { secretLength, type RequestContext, type Ports } from "../ports/ports.ts";

/** An account that is not kept yet; left out, its name and version are those of a new database's. */
export function buildAccount(
  { ids, clock }: Pick<Ports, "ids" | "clock">,
  { name = defaultAccountName, defaultVersion = newestVersion }: AccountRequest = {},
): StoredAccount {
  const account: Account = {
    id: ids.account(),
    object: "account",
    name,
    default_version: defaultVersion,
    created: Math.floor(clock() / 1000),
  };
  return { account, fingerprintSecret: ids.secret(secretLength) };
}

type AccountRequest = { name?: string; defaultVersion?: Version };

export async function createAccount(
  ports: Ports,
  request: AccountRequest,
  actor?: Actor,
): Promise<Account> {
  const made = buildAccount(ports, request);
  const { id, name } = made.account;
  const action = "account.created";
  const activity = buildAuditEntries(ports, actor, {
    accountId: id,
    action,
    subject: { id, name },
  });
  await ports.store.insertAccount(made, activity);
  return made.account;
}

/** Every account, oldest first. */
export async function listAccounts({ store }: Ports): Promise<Account[]> {
  return await store.listAccounts();
}

/** Answers the account under its new name, or undefined where there is none. */
export async function renameAccount(
  ports: Ports,
  id: string,
  name: string,
  actor?: Actor,
): Promise<Account | undefined> {
  const action = "account.renamed";
  const activity = buildAuditEntries(ports, actor, {
    accountId: id,
    action,
    subject: { id, name },
  });
  return await ports.store.renameAccount(id, name, activity);
}

/** What acts in an account, in a mode, without a key of it: its version, and what tells requests apart. */
export async function toPrincipal(
  { store }: Ports,
  scope: Scope,
): Promise<RequestContext | undefined> {
  const found = await store.findAccount(scope.accountId);
  if (!found) return undefined;
  const { account, fingerprintSecret } = found;
  return { scope, defaultVersion: account.default_version, fingerprintSecret };
}

/** The account whose key it is that asks (GET /v1/account). Errors: invalid_api_key. */
export async function getAccount({ store }: Ports, scope: Scope): Promise<KeyAccount> {
  const found = await store.findAccount(scope.accountId);
  if (!found) throw invalidKeyError();
  const { id, object, name, default_version } = found.account;
  return { id, object, name, default_version, livemode: scope.livemode };
}

/** The oldest account: the one that a new database begins with. */
export async function findFirstAccount({ store }: Ports): Promise<Account> {
  const [first] = await store.listAccounts();
  if (first) return first;
  throw new Unavailable("The database has no account.", {
    hint: "Make one with payments accounts create.",
  });
}
