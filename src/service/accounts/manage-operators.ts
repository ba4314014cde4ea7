import {
  type AccountsService,
  type AuditEvent,
  buildAuditEntries,
  secretLength,
} from "./accounts-service.ts";
import type { Account, Action, Actor, Operator, Role } from "../../contract/administration.ts";
import { PermanentError, type RefusalCode } from "../../runtime/failures.ts";
import { invitationLifetimeMs } from "./operator-state.ts";
import type { StoredInvitation } from "./operators-sql.ts";
import type { OperatorChangeFailure } from "./operators-store.ts";
import { hashKey } from "./authenticate.ts";

/** Only this response contains the token; its link is `/dashboard/invitations/<token>`. */
export type Invitation = { operator: Operator; token: string; expiresAtMs: number };

/** Invites an operator to the dashboard. Errors: account_missing, not_allowed. */
export async function inviteOperator(
  service: AccountsService,
  { name, role, accounts }: { name: string; role: Role; accounts: readonly string[] },
  actor: Actor,
): Promise<Invitation> {
  if (accounts.length === 0) throw createError("account_missing");
  const operator: Operator = {
    id: service.ids.operator(),
    object: "operator",
    name,
    role,
    accounts: await sortAccounts(service, accounts),
    status: "invited",
    created: Math.floor(service.clock() / 1000),
    last_seen_at: null,
  };
  const { token, invitation } = createInvitation(service, operator.id);
  const audit = attribute(service, actor, toAuditEvents("invited", operator, role));
  assertWritten(await service.store.insertOperator({ operator, invitation, ...audit }));
  return { operator, token, expiresAtMs: invitation.expiresAtMs };
}

type Reinvitation = {
  id: string;
  /** A new role, by default the one that the operator has. */
  role?: Role | undefined;
  /** Accounts to be added. */
  accounts?: readonly string[] | undefined;
};

/**
 * Gives an operator a fresh link; the links before it end, and with `accounts` the sessions do.
 * Errors: operator_missing, account_missing, not_allowed, last_admin.
 */
export async function reinviteOperator(
  service: AccountsService,
  { id, role, accounts = [] }: Reinvitation,
  actor: Actor,
): Promise<Invitation> {
  const before = await getOperator(service, id);
  const operator = {
    ...before,
    role: role ?? before.role,
    accounts: await sortAccounts(service, [...before.accounts, ...accounts]),
  };
  const { token, invitation } = createInvitation(service, id);
  const audit = attribute(service, actor, [
    ...listRoleEvents(before, operator.role),
    ...toAuditEvents("invited", operator, operator.role),
  ]);
  const write = { invitation, role, grantedAccounts: accounts, ...audit };
  assertWritten(await service.store.reinviteOperator(write));
  return { operator, token, expiresAtMs: invitation.expiresAtMs };
}

/** Errors: operator_missing, not_allowed, last_admin. */
export async function changeRole(
  service: AccountsService,
  { id, role }: { id: string; role: Role },
  actor: Actor,
): Promise<Operator> {
  const before = await getOperator(service, id);
  const audit = attribute(service, actor, listRoleEvents(before, role));
  assertWritten(await service.store.changeRole({ id, role, ...audit }));
  return { ...before, role };
}

/**
 * Removes an operator from an account, or from all; without one left the operator is removed, and its sessions
 * end at once on every replica. Errors: operator_missing, not_allowed, last_admin.
 */
export async function removeOperator(
  service: AccountsService,
  id: string,
  actor: Actor,
  accountId?: string,
): Promise<Operator> {
  const before = await getOperator(service, id);
  const accounts = accountId === undefined ? before.accounts : [accountId];
  if (accounts.some((account) => !before.accounts.includes(account))) {
    throw createError("operator_missing");
  }
  const audit = attribute(service, actor, toAuditEvents("removed", { ...before, accounts }));
  assertWritten(await service.store.removeOperator({ id, accounts, ...audit }));
  const after = (await service.store.findOperator(id)) ?? before;
  // The operator may have been given another account meanwhile.
  const isLeft = accountId === undefined && after.status !== "removed";
  return isLeft ? await removeOperator(service, id, actor) : after;
}

/** The operators of an account, or of all, without those who were removed; the oldest first. */
export async function listOperators(
  { store }: AccountsService,
  accountId?: string,
): Promise<Operator[]> {
  return await store.listOperators(accountId);
}

/** The operator whom a link invites, while the link can be used; finding it does not use the link. */
export async function findInvitation(
  { store, clock, guests }: AccountsService,
  token: string,
): Promise<{ operator: Operator; accounts: Account[] } | undefined> {
  const stored = (await guests?.renewInvitation?.(token)) ?? token;
  return await store.findInvitation(hashKey(stored), clock());
}

type OperatorVerb = Extract<Action, `operator.${string}`> extends `operator.${infer V}` ? V : never;

/** The same event in each account of an operator. */
export function toAuditEvents(
  verb: OperatorVerb,
  { id, name, accounts }: Operator,
  detail?: string,
): AuditEvent[] {
  const event = { action: `operator.${verb}`, subject: { id, name }, detail } as const;
  return accounts.map((accountId) => ({ accountId, ...event }));
}

function listRoleEvents(before: Operator, role: Role): AuditEvent[] {
  return role === before.role ? [] : toAuditEvents("role_changed", before, role);
}

/** Accounts, the oldest first. Error: account_missing. */
async function sortAccounts({ store }: AccountsService, ids: readonly string[]): Promise<string[]> {
  const known = (await store.listAccounts()).map(({ id }) => id);
  if (ids.some((id) => !known.includes(id))) throw createError("account_missing");
  return known.filter((id) => ids.includes(id));
}

async function getOperator({ store }: AccountsService, id: string): Promise<Operator> {
  const operator = await store.findOperator(id);
  if (!operator || operator.status === "removed") throw createError("operator_missing");
  return operator;
}

/**
 * A change's audit entries, and the operator who requests it: what an operator may do is checked as it is written.
 * A command may do everything, an API key nothing.
 */
function attribute(service: AccountsService, actor: Actor, events: AuditEvent[]) {
  if (actor.type === "api_key") throw createError("not_allowed");
  return {
    activity: buildAuditEntries(service, actor, ...events),
    requestedBy: actor.type === "operator" ? actor.id : undefined,
  };
}

function createInvitation(
  { ids, clock }: AccountsService,
  operatorId: string,
): { token: string; invitation: StoredInvitation } {
  const token = ids.secret(secretLength);
  const expiresAtMs = clock() + invitationLifetimeMs;
  return { token, invitation: { hash: hashKey(token), operatorId, expiresAtMs } };
}

function assertWritten(outcome: "written" | OperatorChangeFailure): void {
  if (outcome !== "written")
    throw createError(outcome === "missing" ? "operator_missing" : outcome);
}

const errors: Record<RefusalCode, [message: string, hint?: string]> = {
  account_missing: ["There is no account with this id.", "See payments accounts list."],
  operator_missing: ["There is no operator with this id.", "See payments operators list."],
  not_allowed: ["Only an admin of all these accounts can do this."],
  last_admin: [
    "This is the last admin of an account. Nothing was changed.",
    "Invite another admin first, who has to sign in.",
  ],
};

function createError(code: RefusalCode): PermanentError {
  return new PermanentError(code, ...errors[code]);
}
