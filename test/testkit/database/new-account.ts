import type { Account } from "../../../src/contract/administration.ts";
import { ids } from "../../../src/service/server/ids.ts";
import { buildAccount as accountOf } from "../../../src/service/accounts/manage-accounts.ts";
import type { StoredAccount } from "../../../src/service/accounts/account-types.ts";
import type { Store } from "../../../src/service/ports/ports.ts";

/** An account that is not stored yet, created at second 1,000. */
export function newAccount(changes: Partial<Account> = {}): StoredAccount {
  const { account, ...rest } = accountOf({ ids, clock: () => 1_000_000 });
  return { account: { ...account, ...changes }, ...rest };
}

/** Writes accounts of these ids. */
export async function addAccounts(store: Store, accountIds: string[]): Promise<void> {
  for (const id of accountIds) await store.insertAccount(newAccount({ id }));
}

/** The secret of the first account of a database. */
export async function firstSecret(store: Store): Promise<string | undefined> {
  const [first] = await store.listAccounts();
  return (await store.findAccount(first?.id ?? ""))?.fingerprintSecret;
}
