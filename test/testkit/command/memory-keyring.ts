import { openKeyring, type Keyring, type KeyringFailure } from "../../../src/cli/config/keyring.ts";

export type MemoryKeyring = Keyring & {
  /** Its secrets by account; a test may change them as another program would. */
  entries: Map<string, string>;
  /** Every call so far, such as "get test https://… abcd". */
  calls: string[];
  /** If set, the answer to every call. */
  failure: KeyringFailure | undefined;
};

/** A keyring in memory. */
export function createMemoryKeyring(): MemoryKeyring {
  const entries = new Map<string, string>();
  const calls: string[] = [];
  const keyring: MemoryKeyring = {
    entries,
    calls,
    failure: undefined,
    get: (account) => {
      calls.push(`get ${account}`);
      if (keyring.failure) return keyring.failure;
      const secret = entries.get(account);
      return secret === undefined ? { answer: "none" } : { answer: "secret", secret };
    },
    set: (account, secret) => {
      calls.push(`set ${account}`);
      if (keyring.failure) return keyring.failure;
      entries.set(account, secret);
      return { answer: "done" };
    },
    remove: (account) => {
      calls.push(`remove ${account}`);
      return keyring.failure ?? { answer: entries.delete(account) ? "done" : "none" };
    },
  };
  return keyring;
}

/** The keyring under PAYMENTS_HOME, which stores nothing. */
export const keyringOfHome = openKeyring({ PAYMENTS_HOME: "/anywhere" });
