import type { AccountStore } from "./account-types.ts";
import { commit, query, readOne, writeAll, type Driver } from "../database/driver.ts";
import { insertAccount, renameAccount, selectAccount, selectAccounts } from "./accounts-sql.ts";
import { insertActivity } from "./activity-sql.ts";
import {
  expireKey,
  insertKey,
  recordKeyUse,
  revokeKey,
  selectKey,
  selectKeyByHash,
  selectKeys,
} from "./api-keys-sql.ts";

export function createAccountStore(driver: Driver): AccountStore {
  return {
    insertAccount: (account, activity = []) =>
      writeAll(driver, [insertAccount(account), ...activity.map(insertActivity)]),
    findAccount: (id) => readOne(driver, selectAccount(id)),
    listAccounts: () => readOne(driver, selectAccounts()),
    renameAccount: (id, name, activity = []) =>
      driver.write(function* () {
        const renamed = yield* query(renameAccount(id, name));
        if (renamed) yield* commit(...activity.map(insertActivity));
        return renamed;
      }),
    insertKey: (key, activity = []) =>
      writeAll(driver, [insertKey(key), ...activity.map(insertActivity)]),
    findKey: (hash) => readOne(driver, selectKeyByHash(hash)),
    listKeys: (accountId) => readOne(driver, selectKeys(accountId)),
    rollKey: (id, successor, expiresAt, activity = []) =>
      driver.write(function* () {
        const isExpired = yield* query(expireKey(successor.key.account, id, expiresAt));
        if (isExpired) yield* commit(insertKey(successor), ...activity.map(insertActivity));
        return isExpired;
      }),
    revokeKey: (accountId, id, revokedAt, activity = []) =>
      driver.write(function* () {
        const isRevoked = yield* query(revokeKey(accountId, id, revokedAt));
        const entries = isRevoked ? activity.map(insertActivity) : [];
        return (yield* commit(selectKey(accountId, id), ...entries))[0];
      }),
    recordKeyUses: (uses) => {
      // In one order, so that no two replicas wait for each other.
      const ordered = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return writeAll(driver, ordered.map(recordKeyUse));
    },
  };
}
