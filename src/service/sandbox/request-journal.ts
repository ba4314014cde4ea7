import { maxJournal } from "../../contract/sandbox-values.ts";
import type { SandboxRequest } from "../../contract/sandbox.ts";

/** The last requests of each account, the oldest first. */
export function createJournal() {
  const byAccount = new Map<string, SandboxRequest[]>();
  return {
    /** Remembers a request; the caller writes its status into the entry when it is known. */
    add: (accountId: string, entry: SandboxRequest): SandboxRequest => {
      const entries = byAccount.get(accountId) ?? [];
      byAccount.set(accountId, entries);
      entries.push(entry);
      if (entries.length > maxJournal) entries.shift();
      return entry;
    },
    list: (accountId: string): SandboxRequest[] => [...(byAccount.get(accountId) ?? [])],
    clearAll: (): void => byAccount.clear(),
  };
}
export type Journal = ReturnType<typeof createJournal>;
