import type { AccountStore } from "../ports/account-store.ts";
import { commit, query, type Driver } from "./driver.ts";
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
        yield* commit(insertAccount(account), ...activity.map(insertActivity));
      }),
    findAccount: (id) => driver.read(() => query(selectAccount(id))),
    listAccounts: () => driver.read(() => query(selectAccounts())),
    renameAccount: (id, name, activity = []) =>
      driver.write(function* () {
        const renamed = yield* query(renameAccount(id, name));
        if (renamed) yield* commit(...activity.map(insertActivity));
        return renamed;
      }),
    insertKey: (key, activity = []) =>
      driver.write(function* () {
        yield* commit(insertKey(key), ...activity.map(insertActivity));
      }),
    findKey: (hash) => driver.read(() => query(selectKeyByHash(hash))),
    listKeys: (accountId) => driver.read(() => query(selectKeys(accountId))),
    rollKey: (id, successor, expiresAt, activity = []) =>
      driver.write(function* () {
        const expired = yield* query(expireKey(successor.key.account, id, expiresAt));
        if (expired) yield* commit(insertKey(successor), ...activity.map(insertActivity));
        return expired;
      }),
    revokeKey: (accountId, id, revokedAt, activity = []) =>
      driver.write(function* () {
        const isRevoked = yield* query(revokeKey(accountId, id, revokedAt));
        const [key] = yield* commit(
          selectKey(accountId, id),
          ...(isRevoked ? activity.map(insertActivity) : []),
        );
        return key;
      }),
    recordKeyUses: (uses) =>
      driver.write(function* () {
        // In one order, so that no two replicas wait for each other.
        const inOrder = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
        yield* commit(...inOrder.map(noteKeyUse));
      }),
  };
}
