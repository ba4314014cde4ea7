import type { Account, Activity, ApiKey } from "../../contract/administration.ts";

/** A key as it is stored: by the SHA-256 of its text, in hexadecimal. */
export type StoredKey = { hash: string; key: ApiKey };

export type KeyUse = Pick<ApiKey, "account" | "id"> & { usedAt: number };

/** `fingerprintSecret` keys the HMAC by which requests are compared. */
export type StoredAccount = { account: Account; fingerprintSecret: string };

export type AccountStore = {
  insertAccount(account: StoredAccount, activity?: readonly Activity[]): Promise<void>;
  findAccount(id: string): Promise<StoredAccount | undefined>;
  /** Every account, oldest first. */
  listAccounts(): Promise<Account[]>;
  renameAccount(
    id: string,
    name: string,
    activity?: readonly Activity[],
  ): Promise<Account | undefined>;
  insertKey(key: StoredKey, activity?: readonly Activity[]): Promise<void>;
  findKey(hash: string): Promise<StoredKey | undefined>;
  /** The keys of an account, or of all, oldest first. */
  listKeys(accountId: string | undefined): Promise<ApiKey[]>;
  /** Writes `successor`, and lets the old key expire at `expiresAt` (Unix seconds) unless it ended before. */
  rollKey(
    id: string,
    successor: StoredKey,
    expiresAt: number,
    activity?: readonly Activity[],
  ): Promise<boolean>;
  /** Revokes a key that has not been revoked yet; returns the key, or undefined where there is none. */
  revokeKey(
    accountId: string,
    id: string,
    revokedAt: number,
    activity?: readonly Activity[],
  ): Promise<ApiKey | undefined>;
  recordKeyUses(uses: readonly KeyUse[]): Promise<void>;
};
