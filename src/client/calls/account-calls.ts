import type { KeyAccount } from "../../contract/key-account.ts";
import { routes } from "../../contract/routes.ts";
import { request, type CallOptions, type Connection } from "../request.ts";

/** What is asked about the account of a key. */
export function accountCalls(connection: Connection) {
  return {
    /** GET /v1/account: the key's own. */
    retrieve: async ({ signal }: CallOptions = {}): Promise<KeyAccount> =>
      request(connection, routes.getAccount, { signal }),
  };
}
