import { openKeyring, type Keyring, type KeyringFailure } from "../../../src/cli/config/keyring.ts";

export type MemoryKeyring = Keyring & {
  /** What it holds, by account; a test may change it as another program would. */
  entries: Map<string, string>;
  /** Every call so far, such as "get test https://… abcd". */
  calls: string[];
  /** What it answers to everything from now on, instead of doing it. */
  failure: KeyringFailure | undefined;
};

/** A keyring that lasts as long as the test. */
export function memoryKeyring(): MemoryKeyring {
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

/** The keyring of a home: secrets are always in its files. */
export const keyringOfHome = openKeyring({ PAYMENTS_HOME: "/anywhere" });
