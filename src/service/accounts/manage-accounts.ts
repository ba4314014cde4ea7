import { type AccountsService, type RequestContext, secretLength } from "./accounts-service.ts";
import { type Account, type Actor, defaultAccountName } from "../../contract/administration.ts";
import { newestVersion, type Version } from "../../contract/headers.ts";
import type { KeyAccount } from "../../contract/account.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { StoredAccount } from "./accounts-store.ts";
import type { Scope } from "../database/scope.ts";
import { buildAuditEntries } from "./audit-log.ts";
import { createInvalidKeyError } from "./authenticate.ts";

type AccountRequest = { name?: string; defaultVersion?: Version };

/** An account that is not stored yet, by default as a new database has it. */
export function buildAccount(
  { ids, clock }: Pick<AccountsService, "ids" | "clock">,
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

export async function createAccount(
  service: AccountsService,
  request: AccountRequest,
  actor?: Actor,
): Promise<Account> {
  const created = buildAccount(service, request);
  const { id, name } = created.account;
  const event = { accountId: id, action: "account.created", subject: { id, name } } as const;
  await service.store.insertAccount(created, buildAuditEntries(service, actor, event));
  return created.account;
}

/** Every account, oldest first. */
export async function listAccounts({ store }: AccountsService): Promise<Account[]> {
  return await store.listAccounts();
}

/** Answers the account under its new name, or undefined where there is none. */
export async function renameAccount(
  service: AccountsService,
  id: string,
  name: string,
  actor?: Actor,
): Promise<Account | undefined> {
  const event = { accountId: id, action: "account.renamed", subject: { id, name } } as const;
  return await service.store.renameAccount(id, name, buildAuditEntries(service, actor, event));
}

/** The context of a request that comes without a key: from the dashboard, or from the embedded service. */
export async function toPrincipal(
  { store }: AccountsService,
  scope: Scope,
): Promise<RequestContext | undefined> {
  const found = await store.findAccount(scope.accountId);
  if (!found) return undefined;
  const { account, fingerprintSecret } = found;
  return { scope, defaultVersion: account.default_version, fingerprintSecret };
}

/** The account of the request's key (GET /v1/account). Errors: invalid_api_key. */
export async function getAccount({ store }: AccountsService, scope: Scope): Promise<KeyAccount> {
  const found = await store.findAccount(scope.accountId);
  if (!found) throw createInvalidKeyError();
  const { id, object, name, default_version } = found.account;
  return { id, object, name, default_version, livemode: scope.livemode };
}

/** The oldest account: the one that a new database begins with. */
export async function findFirstAccount({ store }: AccountsService): Promise<Account> {
  const [first] = await store.listAccounts();
  if (first) return first;
  throw new Unavailable("The database has no account.", {
    hint: "Make one with payments accounts create.",
  });
}
