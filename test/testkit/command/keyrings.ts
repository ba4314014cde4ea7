import { createServer } from "node:net";
import { join } from "node:path";
import { type Keyring, type KeyringFailure, openKeyring } from "../../../src/cli/config/keyring.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { createTemporaryHome } from "../temporary.ts";

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

type SilentBus = {
  address: string;
  /** The number of all connections so far, and of the open ones. */
  connections: () => number;
  open: () => number;
};

/** A D-Bus that accepts connections and never responds. */
export async function startSilentBus(): Promise<SilentBus> {
  const path = join(createTemporaryHome(), "bus");
  let connections = 0;
  let open = 0;
  const server = createServer((socket) => {
    connections += 1;
    open += 1;
    socket.on("close", () => (open -= 1));
    socket.on("error", () => {}); // the other side is killed
    socket.resume();
    openUntilFileEnds(() => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  openUntilFileEnds(() => server.close());
  return { address: `unix:path=${path}`, connections: () => connections, open: () => open };
}
