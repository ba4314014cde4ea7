import type { ApiKey } from "../../contract/key.ts";
import type { Ports } from "./service.ts";

/** Ends a key for good; every running service refuses it within a second. Undefined: no such key. */
export async function revokeKey(ports: Ports, id: string): Promise<ApiKey | undefined> {
  const account = await ports.store.account();
  return await ports.store.revokeKey(account.id, id, Math.floor(ports.clock() / 1000));
}
