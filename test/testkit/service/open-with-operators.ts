import type { Actor, Operator } from "../../../src/contract/administration.ts";
import type { Adapters } from "../../../src/service/ports/ports.ts";
import { openTestService } from "./open-test-service.ts";

export const command: Actor = { type: "command", id: null, name: "root" };

/** Two accounts, `first` and `second`, and operators in them. */
export async function openWithOperators(adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service, store, test } = opened;
  const second = (await service.createAccount({ name: "Books" })).id;

  const invite = async (fields: Partial<Pick<Operator, "name" | "role" | "accounts">> = {}) =>
    service.inviteOperator(
      { name: "Ada", role: "admin", accounts: [test.accountId], ...fields },
      command,
    );

  /** Invites an operator, who signs in at once. */
  async function signIn(fields: Parameters<typeof invite>[0] = {}) {
    const { operator, token } = await invite(fields);
    const accepted = await service.acceptInvitation(token);
    if (!accepted) throw new Error("The invitation was refused.");
    const actor: Actor = { type: "operator", id: operator.id, name: operator.name };
    return { id: operator.id, actor, secret: accepted.secret };
  }

  const listAuditLog = async (accountId = test.accountId) =>
    (await service.listActivity(accountId, {})).items;

  return {
    ...opened,
    first: test.accountId,
    second,
    invite,
    signIn,
    listAuditLog,
    listActions: async (accountId?: string) =>
      (await listAuditLog(accountId)).map(({ action }) => action),
    /** Another replica on the same database. */
    openReplica: async () => (await openTestService({ ...adapters, store })).service,
  };
}
