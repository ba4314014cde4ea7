import type { Account } from "../../contract/account.ts";
import type { Action, Activity, Actor } from "../ports/activity.ts";
import { PermanentError } from "../../runtime/failures.ts";
import type { Operator, Role } from "../../contract/operator.ts";
import { invitationLifetimeMs } from "../domain/operator-rights.ts";
import { buildAuditEntries } from "./audit-log.ts";
import { hashKey } from "./authenticate.ts";
import type { OperatorChangeFailure, StoredInvitation } from "../ports/operator-store.ts";
import { secretLength, type Ports } from "../ports/ports.ts";

/** The token is told this once; its link is `/dashboard/invitations/<token>`. */
export type Invitation = { operator: Operator; token: string; expiresAtMs: number };

type OperatorRequest = { name: string; role: Role; accounts: readonly string[] };

/** Invites somebody to the dashboard. Errors: account_missing, not_allowed. */
export async function inviteOperator(
  ports: Ports,
  { name, role, accounts: ids }: OperatorRequest,
  actor: Actor,
): Promise<Invitation> {
  const accounts = await inOrder(ports, ids);
  if (accounts.length === 0) throw accountMissing();
  const operator: Operator = {
    id: ports.ids.operator(),
    object: "operator",
    name,
    role,
    accounts,
    status: "invited",
    created: Math.floor(ports.clock() / 1000),
    last_seen_at: null,
  };
  const { token, invitation } = newInvitation(ports, operator.id);
  const activity = forEachAccount(ports, actor, operator, {
    action: "operator.invited",
    detail: role,
  });
  refuse(
    await ports.store.insertOperator({ operator, invitation, activity, ...requestedBy(actor) }),
  );
  return { operator, token, expiresAtMs: invitation.expiresAtMs };
}

/** Who is invited again, what they may do from now on, and the accounts that they get beside theirs. */
type Reinvitation = {
  id: string;
  role?: Role | undefined;
  accounts?: readonly string[] | undefined;
};

/**
 * Gives an operator a fresh link, and with `role` another role; the links before it end, and with `accounts` the
 * sessions. Errors: operator_missing, account_missing, not_allowed, last_admin.
 */
export async function reinviteOperator(
  ports: Ports,
  { id, role, accounts = [] }: Reinvitation,
  actor: Actor,
): Promise<Invitation> {
  const before = await getOperator(ports, id);
  const operator = {
    ...before,
    role: role ?? before.role,
    accounts: await inOrder(ports, [...before.accounts, ...accounts]),
  };
  const { token, invitation } = newInvitation(ports, id);
  const activity = [
    ...roleActivity(ports, actor, before, operator.role),
    ...forEachAccount(ports, actor, operator, {
      action: "operator.invited",
      detail: operator.role,
    }),
  ];
  const again = { invitation, role, grantedAccounts: accounts, activity, ...requestedBy(actor) };
  refuse(await ports.store.reinviteOperator(again));
  return { operator, token, expiresAtMs: invitation.expiresAtMs };
}

/** Errors: operator_missing, not_allowed, last_admin. */
export async function changeRole(
  ports: Ports,
  { id, role }: { id: string; role: Role },
  actor: Actor,
): Promise<Operator> {
  const before = await getOperator(ports, id);
  const activity = roleActivity(ports, actor, before, role);
  refuse(await ports.store.changeRole({ id, role, activity, ...requestedBy(actor) }));
  return { ...before, role };
}

/**
 * Removes an operator from an account, or from all; without one left the operator is removed, and its sessions
 * end at once on every replica. Errors: operator_missing, not_allowed, last_admin.
 */
export async function removeOperator(
  ports: Ports,
  id: string,
  actor: Actor,
  accountId?: string,
): Promise<Operator> {
  const before = await getOperator(ports, id);
  const accounts = accountId === undefined ? before.accounts : [accountId];
  if (accounts.some((account) => !before.accounts.includes(account))) throw operatorMissing();
  const activity = forEachAccount(
    ports,
    actor,
    { ...before, accounts },
    { action: "operator.removed" },
  );
  refuse(await ports.store.removeOperator({ id, accounts, activity, ...requestedBy(actor) }));
  const after = (await ports.store.findOperator(id)) ?? before;
  const isLeft = accountId === undefined && after.status !== "removed"; // in an account that it got meanwhile
  return isLeft ? await removeOperator(ports, id, actor) : after;
}

/** The operators of an account, or of all, without those who were removed; the oldest first. */
export async function listOperators({ store }: Ports, accountId?: string): Promise<Operator[]> {
  return await store.listOperators(accountId);
}

/** Whom a link is for, while it can be used; this uses nothing up. */
export async function findInvitation(
  { store, clock }: Ports,
  token: string,
): Promise<{ operator: Operator; accounts: Account[] } | undefined> {
  return await store.findInvitation(hashKey(token), clock());
}

/** The same of an operator in each of its accounts. */
export function forEachAccount(
  ports: Ports,
  actor: Actor,
  { id, name, accounts }: Operator,
  done: { action: Action; detail?: string },
): Activity[] {
  return accounts.flatMap((accountId) =>
    buildAuditEntries(ports, actor, { accountId, subject: { id, name }, ...done }),
  );
}

/** Accounts, the oldest first. Error: account_missing. */
async function inOrder({ store }: Ports, ids: readonly string[]): Promise<string[]> {
  const known = (await store.listAccounts()).map(({ id }) => id);
  if (ids.some((id) => !known.includes(id))) throw accountMissing();
  return known.filter((id) => ids.includes(id));
}

async function getOperator({ store }: Ports, id: string): Promise<Operator> {
  const operator = await store.findOperator(id);
  if (!operator || operator.status === "removed") throw operatorMissing();
  return operator;
}

/** Who asks the store: a command may do everything, a key nothing, an operator what the store finds then. */
function requestedBy(actor: Actor): { requestedBy: string | undefined } {
  switch (actor.type) {
    case "command":
      return { requestedBy: undefined };
    case "operator":
      return { requestedBy: actor.id };
    case "api_key":
      throw notAllowed();
    default:
      return actor satisfies never;
  }
}

function roleActivity(ports: Ports, actor: Actor, before: Operator, role: Role): Activity[] {
  if (role === before.role) return [];
  return forEachAccount(ports, actor, before, { action: "operator.role_changed", detail: role });
}

function newInvitation(
  { ids, clock }: Ports,
  operatorId: string,
): { token: string; invitation: StoredInvitation } {
  const token = ids.secret(secretLength);
  const expiresAtMs = clock() + invitationLifetimeMs;
  return { token, invitation: { hash: hashKey(token), operatorId, expiresAtMs } };
}

function refuse(outcome: "written" | OperatorChangeFailure): void {
  switch (outcome) {
    case "written":
      return;
    case "missing":
      throw operatorMissing();
    case "not_allowed":
      throw notAllowed();
    case "last_admin":
      throw new PermanentError(
        "last_admin",
        "This is the last admin of an account. Nothing was changed.",
        "Invite another admin first, who has to sign in.",
      );
    default:
      outcome satisfies never;
  }
}

function notAllowed(): PermanentError {
  return new PermanentError(
    "not_allowed",
    "Only an admin of all the accounts that this concerns can do this.",
  );
}

function operatorMissing(): PermanentError {
  return new PermanentError(
    "operator_missing",
    "There is no operator with this id.",
    "See payments operators list.",
  );
}

function accountMissing(): PermanentError {
  return new PermanentError(
    "account_missing",
    "There is no account with this id.",
    "See payments accounts list.",
  );
}
