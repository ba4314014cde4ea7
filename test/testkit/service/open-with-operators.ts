import type { Actor } from "../../../src/service/ports/activity.ts";
import type { Operator } from "../../../src/contract/operator.ts";
import type { Adapters } from "../../../src/service/ports/ports.ts";
import { openTestService } from "./open-test-service.ts";

export const command: Actor = { type: "command", id: null, name: "root" };

/** Two accounts, `first` and `second`, and operators in them. */
export async function openWithOperators(adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service, store, test } = opened;
  const second = (await service.createAccount({ name: "Books" })).id;

  /** Invites an operator, who signs in at once. */
  async function signIn(fields: Partial<Pick<Operator, "name" | "role" | "accounts">> = {}) {
    const request = { name: "Ada", role: "admin" as const, accounts: [test.accountId], ...fields };
    const { operator, token } = await service.inviteOperator(request, command);
    const accepted = await service.acceptInvitation(token);
    if (!accepted) throw new Error("The invitation was refused.");
    const actor: Actor = { type: "operator", id: operator.id, name: operator.name };
    return { id: operator.id, actor, secret: accepted.secret };
  }

  return {
    ...opened,
    first: test.accountId,
    second,
    signIn,
    /** What was done in an account, the newest first. */
    done: async (accountId = test.accountId) => (await service.listActivity(accountId, {})).items,
    /** Another replica on the same database. */
    replica: async () => (await openTestService({ ...adapters, store })).service,
  };
}
