import type { Operator, Role } from "../../contract/operator.ts";
import type { Member, OperatorChangeFailure, OperatorStore } from "../ports/operator-store.ts";
import { canChangeIn } from "../domain/operator-rights.ts";
import { commit, commitOne, query, batch, type Driver, type Transaction } from "./driver.ts";
import { toPage } from "./listing.ts";
import { deleteActivity, insertActivity, selectActivity } from "./sql/activity-sql.ts";
import {
  deleteExpiredSessions,
  deleteSessionsOf,
  deleteSession,
  insertInvitation,
  insertSession,
  selectInvitation,
  selectSession,
  updateSession,
  consumeInvitation,
} from "./sql/operator-sessions-sql.ts";
import {
  activate,
  addAccount,
  changeRole,
  hasOtherAdmin,
  insertOperator,
  lockAccount,
  lockOperator,
  noteSeen,
  removeWithoutAccounts,
  selectAccountsOf,
  selectOperator,
  selectOperators,
  takeAccount,
} from "./sql/operators-sql.ts";
import { unlessShardUnavailable } from "./take-due.ts";

/**
 * What the store keeps of operators, of how they get in, and of what was done. Whoever changes several rows of an
 * operator locks that first, before its accounts, its sessions and its links: so nobody waits for who waits for
 * them, and what is read of it then stays so.
 */
export function createOperatorStore(driver: Driver): OperatorStore {
  return {
    insertOperator: ({ operator, invitation, activity, requestedBy }) =>
      driver.write(function* () {
        const { id, accounts } = operator;
        yield* lockAccounts(accounts);
        if (!(yield* isAllowed(requestedBy, accounts))) return "not_allowed";
        yield* commit(
          insertOperator(operator),
          ...accounts.map((account) => addAccount(id, account)),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
        return "written";
      }),
    findOperator: (id) => driver.read(() => query(selectOperator(id))),
    listOperators: (accountId) => driver.read(() => query(selectOperators(accountId))),
    reinviteOperator: ({ invitation, role, grantedAccounts = [], activity, requestedBy }) =>
      driver.write(function* () {
        const { operatorId } = invitation;
        const refusal = yield* refusalOf(
          { id: operatorId, requestedBy, grantedAccounts },
          all,
          lowered(role),
        );
        if (refusal) return refusal;
        yield* commit(
          ...(role === undefined ? [] : [changeRole(operatorId, role)]),
          ...grantedAccounts.map((account) => addAccount(operatorId, account)),
          ...(grantedAccounts.length > 0
            ? [deleteSessionsOf("operator_sessions", operatorId)]
            : []),
          deleteSessionsOf("invitations", operatorId),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
        return "written";
      }),
    changeRole: ({ id, role, activity, requestedBy }) =>
      driver.write(function* () {
        const refusal = yield* refusalOf({ id, requestedBy }, all, lowered(role));
        if (refusal) return refusal;
        yield* commit(changeRole(id, role), ...activity.map(insertActivity));
        return "written";
      }),
    removeOperator: (write) => driver.write((isRetry) => removal(write, isRetry)),

    findInvitation: (hash, nowMs) =>
      driver.read(function* () {
        const operatorId = yield* query(selectInvitation(hash, nowMs));
        return operatorId === undefined ? undefined : yield* member(operatorId);
      }),
    acceptInvitation: ({ invitationHash, session, activity }) =>
      driver.write(function* (isRetry) {
        const { hash, operatorId, begunAtMs } = session;
        const use = consumeInvitation(invitationHash, begunAtMs);
        const [, isUsed] = yield* batch(lockOperator(operatorId), use);
        if (!isUsed) {
          return isRetry && (yield* query(selectSession(hash, begunAtMs))) !== undefined;
        }
        yield* commit(
          insertSession(session),
          activate(operatorId),
          noteSeen(operatorId, Math.floor(begunAtMs / 1000)),
          ...activity.map(insertActivity),
        );
        return true;
      }),
    findSession: (hash, nowMs) =>
      driver.read(function* () {
        const session = yield* query(selectSession(hash, nowMs));
        const found = session && (yield* member(session.operatorId));
        return found && { ...found, session };
      }),
    recordSessionUse: (session) =>
      driver.write(function* () {
        const seenAt = Math.floor(session.usedAtMs / 1000);
        yield* commit(noteSeen(session.operatorId, seenAt), updateSession(session));
      }),
    endSession: (hash) =>
      driver.write(function* () {
        yield* commit(deleteSession(hash));
      }),
    endSessions: ({ operatorId, activity }) =>
      driver.write(function* () {
        yield* commit(
          deleteSessionsOf("operator_sessions", operatorId),
          ...activity.map(insertActivity),
        );
      }),
    purgeSessions: (nowMs, limit) =>
      driver.write(function* () {
        const counts = yield* commit(
          deleteExpiredSessions("operator_sessions", nowMs, limit),
          deleteExpiredSessions("invitations", nowMs, limit),
        );
        return counts[0] + counts[1];
      }),

    listActivity: (accountId, range) =>
      driver.read(function* () {
        const more = { ...range, limit: range.limit + 1 };
        return toPage(yield* query(selectActivity(accountId, more)), range);
      }),
    purgeActivity: async (accountId, before, limit) => {
      const forgotten = driver.write(() => commitOne(deleteActivity(accountId, before, limit)));
      return await unlessShardUnavailable(forgotten, 0);
    },
  };
}

function* member(operatorId: string): Transaction<Member | undefined> {
  const [operator, accounts] = yield* batch(
    selectOperator(operatorId),
    selectAccountsOf(operatorId),
  );
  return operator && operator.status !== "removed" ? { operator, accounts } : undefined;
}

/** Who is changed, by whom, and the accounts that are new to it. */
type Change = { id: string; requestedBy: string | undefined; grantedAccounts?: readonly string[] };

/** The accounts of an operator that a change concerns. */
type Concerned = (operator: Operator) => readonly string[];

/** What keeps an operator from being changed in accounts, some of which may lose an admin by that. */
function* refusalOf(
  { id, requestedBy, grantedAccounts = [] }: Change,
  changed: Concerned,
  losing: Concerned,
): Transaction<OperatorChangeFailure | undefined> {
  const [, operator] = yield* batch(lockOperator(id), selectOperator(id));
  if (!operator || operator.status === "removed") return "missing";
  yield* lockAccounts([...operator.accounts, ...grantedAccounts]);
  if (!(yield* isAllowed(requestedBy, [...changed(operator), ...grantedAccounts])))
    return "not_allowed";
  if (operator.role !== "admin") return undefined;
  for (const account of losing(operator)) {
    if (!(yield* query(hasOtherAdmin(account, operator)))) return "last_admin";
  }
  return undefined;
}

/**
 * Keeps it as it is who works in accounts, locked always in the same order: of two who take two admins at once, or
 * one of whom takes the other, the one that comes second sees what the first has done.
 */
function* lockAccounts(ids: readonly string[]): Transaction<void> {
  yield* batch(...[...new Set(ids)].toSorted().map(lockAccount));
}

function* isAllowed(
  requestedBy: string | undefined,
  accounts: readonly string[],
): Transaction<boolean> {
  if (requestedBy === undefined) return true;
  const operator = yield* query(selectOperator(requestedBy));
  return operator !== undefined && canChangeIn(operator, accounts);
}

const all: Concerned = ({ accounts }) => accounts;

/** The accounts that lose an admin where an operator grantedAccounts a role. */
function lowered(role: Role | undefined): Concerned {
  return ({ accounts }) => (role === undefined || role === "admin" ? [] : accounts);
}

function* removal(
  { id, accounts, activity, requestedBy }: Parameters<OperatorStore["removeOperator"]>[0],
  isRetry: boolean,
): Transaction<"written" | OperatorChangeFailure> {
  const isLeft: Concerned = ({ accounts: own }) => accounts.filter((each) => own.includes(each));
  const before = isRetry ? yield* query(selectOperator(id)) : undefined;
  if (before && isLeft(before).length === 0) return "written";
  const refusal = yield* refusalOf({ id, requestedBy }, () => accounts, isLeft);
  if (refusal) return refusal;
  const taken = new Set<string>();
  for (const account of accounts) if (yield* query(takeAccount(id, account))) taken.add(account);
  if (taken.size === 0) return "missing";
  const isRemoved = yield* query(removeWithoutAccounts(id));
  yield* commit(
    ...(isRemoved
      ? [deleteSessionsOf("operator_sessions", id), deleteSessionsOf("invitations", id)]
      : []),
    ...activity.filter(({ account }) => taken.has(account)).map(insertActivity),
  );
  return "written";
}
