import type { ApiKey } from "../../contract/key.ts";
import type { Ports } from "./service.ts";

/** Every key of the account, oldest first, also the ended ones. */
export async function listKeys(ports: Ports): Promise<ApiKey[]> {
  const account = await ports.store.account();
  return await ports.store.listKeys(account.id);
}
