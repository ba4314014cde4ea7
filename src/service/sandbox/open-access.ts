import { createKey } from "../accounts/manage-keys.ts";
import { inviteOperator, reinviteOperator } from "../accounts/manage-operators.ts";
import { toPrincipal, listAccounts, createAccount } from "../accounts/manage-accounts.ts";
import { type Mode, modes, sandboxKeys } from "../../contract/field-values.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import type { Service } from "../service.ts";

const actor = { type: "command", id: null, name: "sandbox" } as const;
const keyActor = { type: "api_key", id: "key_sandbox", name: "sandbox" } as const;

/**
 * The service with the ways into a sandbox, none of which is in its database: the published keys, for the first
 * account, and a link to the dashboard, which can be used any number of times.
 */
export async function openAccess(
  service: Service,
  accountId: string,
  linkToken: string,
): Promise<Service> {
  const principals = new Map<string, Principal>();
  for (const mode of modes) {
    const context = await toPrincipal(service, { accountId, livemode: mode === "live" });
    if (!context) throw new Error("The sandbox has no account.");
    principals.set(`Bearer ${sandboxKeys[mode]}`, {
      ...context,
      keyId: keyActor.id,
      actor: keyActor,
    });
  }
  const guest = { name: "Sandbox", role: "admin", accounts: [accountId] } as const;
  const { operator } = await inviteOperator(service, guest, actor);

  /** Another invitation for each use of the link, to all the accounts that there are by then. */
  const renewInvitation = async (token: string): Promise<string> => {
    if (token !== linkToken) return token;
    const accounts = (await listAccounts(service)).map(({ id }) => id);
    const { id } = operator;
    return (await reinviteOperator(service, { id, accounts }, actor)).token;
  };
  return { ...service, guests: { principals, renewInvitation } };
}

/** A new account with a key of each mode. */
export async function createSandboxAccount(
  service: Service,
  { name, keyName }: { name?: string | undefined; keyName: string },
) {
  const account = await createAccount(service, name === undefined ? {} : { name }, actor);
  const makeKey = async (mode: Mode) =>
    (await createKey(service, { account: account.id, mode, name: keyName }, actor)).key;
  return { account, keys: { test: await makeKey("test"), live: await makeKey("live") } };
}
