import type { IssuedKey } from "../../contract/key.ts";
import { hasEnded, issued, newSecret, storedKey } from "./create-key.ts";
import type { Ports } from "./service.ts";

/**
 * Makes a successor of a key, with its mode and name, and lets the old one live for `overlapMs`.
 * Answers undefined where there is no such key, or it has ended.
 */
export async function rollKey(
  ports: Ports,
  id: string,
  overlapMs: number,
): Promise<IssuedKey | undefined> {
  const account = await ports.store.account();
  const old = (await ports.store.listKeys(account.id)).find((key) => key.id === id);
  if (!old || hasEnded(old, ports.clock())) return undefined;
  const secret = newSecret(ports, old.mode);
  const successor = storedKey(ports, account.id, secret, old);
  const expiresAt = Math.ceil((ports.clock() + overlapMs) / 1000);
  const rolled = await ports.store.rollKey(id, successor, expiresAt);
  return rolled ? issued(successor.key, secret) : undefined;
}
