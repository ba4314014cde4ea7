import type { AccountStore } from "../ports/account-store.ts";
import { commitUnless, run, type Driver } from "./driver.ts";
import { insertAccount, renameAccount, selectAccount, selectAccounts } from "./sql/accounts-sql.ts";
import { insertActivity } from "./sql/activity-sql.ts";
import {
  expireKey,
  insertKey,
  noteKeyUse,
  revokeKey,
  selectKey,
  selectKeyByHash,
  selectKeys,
} from "./sql/api-keys-sql.ts";

/** What the store keeps of accounts and their API keys. */
export function createAccountStore(driver: Driver): AccountStore {
  return {
    insertAccount: (account, activity = []) =>
      driver.write(function* () {
        yield* commitUnless(insertAccount(account), ...activity.map(insertActivity));
      }),
    findAccount: (id) => driver.read(() => run(selectAccount(id))),
    listAccounts: () => driver.read(() => run(selectAccounts())),
    renameAccount: (id, name, activity = []) =>
      driver.write(function* () {
        const renamed = yield* run(renameAccount(id, name));
        if (renamed) yield* commitUnless(...activity.map(insertActivity));
        return renamed;
      }),
    insertKey: (key, activity = []) =>
      driver.write(function* () {
        yield* commitUnless(insertKey(key), ...activity.map(insertActivity));
      }),
    findKey: (hash) => driver.read(() => run(selectKeyByHash(hash))),
    listKeys: (accountId) => driver.read(() => run(selectKeys(accountId))),
    rollKey: (id, successor, expiresAt, activity = []) =>
      driver.write(function* () {
        const expired = yield* run(expireKey(successor.key.account, id, expiresAt));
        if (expired) yield* commitUnless(insertKey(successor), ...activity.map(insertActivity));
        return expired;
      }),
    revokeKey: (accountId, id, revokedAt, activity = []) =>
      driver.write(function* () {
        const isRevoked = yield* run(revokeKey(accountId, id, revokedAt));
        const [key] = yield* commitUnless(
          selectKey(accountId, id),
          ...(isRevoked ? activity.map(insertActivity) : []),
        );
        return key;
      }),
    recordKeyUses: (uses) =>
      driver.write(function* () {
        // In one order, so that no two replicas wait for each other.
        const inOrder = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
        yield* commitUnless(...inOrder.map(noteKeyUse));
      }),
  };
}
