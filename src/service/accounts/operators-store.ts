import type { Operator, Role } from "../../contract/administration.ts";
import { canChangeIn } from "./operator-state.ts";
import type { Member, OperatorChangeFailure, OperatorStore } from "./operator-types.ts";
import {
  batch,
  commit,
  query,
  readOne,
  writeAll,
  writeOne,
  type Driver,
  type Transaction,
} from "../database/driver.ts";
import { readPage } from "../database/listing.ts";
import { activityTable, deleteActivity, insertActivity } from "./activity-sql.ts";
import {
  consumeInvitation,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  insertInvitation,
  insertSession,
  selectInvitation,
  selectSession,
  updateSession,
} from "./operator-sessions-sql.ts";
import {
  activate,
  changeRole,
  grantAccount,
  hasOtherAdmin,
  insertOperator,
  lockAccount,
  lockOperator,
  recordSeen,
  removeWithoutAccounts,
  revokeAccount,
  selectAccountsOf,
  selectOperator,
  selectOperators,
} from "./operators-sql.ts";

/**
 * Operators, their invitations and sessions, and the audit log. A transaction that changes several rows of an
 * operator locks the operator first, before its accounts, sessions and invitations: so transactions cannot deadlock,
 * and the operator does not change after it was read.
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
          ...accounts.map((account) => grantAccount(id, account)),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
        return "written";
      }),
    findOperator: (id) => readOne(driver, selectOperator(id)),
    listOperators: (accountId) => readOne(driver, selectOperators(accountId)),
    reinviteOperator: ({ invitation, role, grantedAccounts = [], activity, requestedBy }) =>
      driver.write(function* () {
        const { operatorId: id } = invitation;
        const change = { id, requestedBy, grantedAccounts };
        const failure = yield* findFailure(change, ownAccounts, selectAccountsLosingAdmin(role));
        if (failure) return failure;
        const endSessions = grantedAccounts.length > 0;
        yield* commit(
          ...(role === undefined ? [] : [changeRole(id, role)]),
          ...grantedAccounts.map((account) => grantAccount(id, account)),
          ...(endSessions ? [deleteSessionsOf("operator_sessions", id)] : []),
          deleteSessionsOf("invitations", id),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
        return "written";
      }),
    changeRole: ({ id, role, activity, requestedBy }) =>
      driver.write(function* () {
        const change = { id, requestedBy };
        const failure = yield* findFailure(change, ownAccounts, selectAccountsLosingAdmin(role));
        if (failure) return failure;
        yield* commit(changeRole(id, role), ...activity.map(insertActivity));
        return "written";
      }),
    removeOperator: (write) => driver.write((isRetry) => removeOperator(write, isRetry)),

    findInvitation: (hash, nowMs) =>
      driver.read(function* () {
        const operatorId = yield* query(selectInvitation(hash, nowMs));
        return operatorId === undefined ? undefined : yield* findMember(operatorId);
      }),
    acceptInvitation: ({ invitationHash, session, activity }) =>
      driver.write(function* (isRetry) {
        const { hash, operatorId, begunAtMs } = session;
        const consume = consumeInvitation(invitationHash, begunAtMs);
        const [, isConsumed] = yield* batch(lockOperator(operatorId), consume);
        if (!isConsumed) {
          return isRetry && (yield* query(selectSession(hash, begunAtMs))) !== undefined;
        }
        yield* commit(
          insertSession(session),
          activate(operatorId),
          recordSeen(operatorId, Math.floor(begunAtMs / 1000)),
          ...activity.map(insertActivity),
        );
        return true;
      }),
    findSession: (hash, nowMs) =>
      driver.read(function* () {
        const session = yield* query(selectSession(hash, nowMs));
        const member = session && (yield* findMember(session.operatorId));
        return member && { ...member, session };
      }),
    recordSessionUse: (session) => {
      const seenAt = Math.floor(session.usedAtMs / 1000);
      return writeAll(driver, [recordSeen(session.operatorId, seenAt), updateSession(session)]);
    },
    endSession: (hash) => writeAll(driver, [deleteSession(hash)]),
    endSessions: ({ operatorId, activity }) =>
      writeAll(driver, [
        deleteSessionsOf("operator_sessions", operatorId),
        ...activity.map(insertActivity),
      ]),
    purgeSessions: (nowMs, limit) =>
      driver.write(function* () {
        const [sessions, invitations] = yield* commit(
          deleteExpiredSessions("operator_sessions", nowMs, limit),
          deleteExpiredSessions("invitations", nowMs, limit),
        );
        return sessions + invitations;
      }),

    listActivity: (accountId, { action, actorId, actorName, ...range }) =>
      driver.read(() => {
        const filters = { action, actor_id: actorId, actor_name: actorName };
        return readPage(activityTable, { accountId }, range, filters);
      }),
    purgeActivity: (accountId, before, limit) =>
      writeOne(driver, deleteActivity(accountId, before, limit)),
  };
}

function* findMember(operatorId: string): Transaction<Member | undefined> {
  const [operator, accounts] = yield* batch(
    selectOperator(operatorId),
    selectAccountsOf(operatorId),
  );
  return operator && operator.status !== "removed" ? { operator, accounts } : undefined;
}

/** The changed operator, the operator that requests it, and the accounts that are granted. */
type Change = { id: string; requestedBy: string | undefined; grantedAccounts?: readonly string[] };
type AccountsOf = (operator: Operator) => readonly string[];

/** Locks an operator and its accounts, and checks that the change is allowed and leaves each account an admin. */
function* findFailure(
  { id, requestedBy, grantedAccounts = [] }: Change,
  changedAccounts: AccountsOf,
  accountsLosingAdmin: AccountsOf,
): Transaction<OperatorChangeFailure | undefined> {
  const [, operator] = yield* batch(lockOperator(id), selectOperator(id));
  if (!operator || operator.status === "removed") return "missing";
  yield* lockAccounts([...operator.accounts, ...grantedAccounts]);
  const accounts = [...changedAccounts(operator), ...grantedAccounts];
  if (!(yield* isAllowed(requestedBy, accounts))) return "not_allowed";
  if (operator.role !== "admin") return undefined;
  for (const account of accountsLosingAdmin(operator)) {
    if (!(yield* query(hasOtherAdmin(account, operator)))) return "last_admin";
  }
  return undefined;
}

/**
 * Locks accounts, always in the same order. Of two transactions that remove admins of one account, the second sees
 * the result of the first.
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

const ownAccounts: AccountsOf = ({ accounts }) => accounts;

/** The accounts that lose an admin when an operator gets a role. */
function selectAccountsLosingAdmin(role: Role | undefined): AccountsOf {
  return ({ accounts }) => (role === undefined || role === "admin" ? [] : accounts);
}

function* removeOperator(
  { id, accounts, activity, requestedBy }: Parameters<OperatorStore["removeOperator"]>[0],
  isRetry: boolean,
): Transaction<"written" | OperatorChangeFailure> {
  const lost: AccountsOf = ({ accounts: own }) => accounts.filter((each) => own.includes(each));
  const before = isRetry ? yield* query(selectOperator(id)) : undefined;
  if (before && lost(before).length === 0) return "written";
  const failure = yield* findFailure({ id, requestedBy }, () => accounts, lost);
  if (failure) return failure;
  const revoked = new Set<string>();
  for (const account of accounts)
    if (yield* query(revokeAccount(id, account))) revoked.add(account);
  if (revoked.size === 0) return "missing";
  const isRemoved = yield* query(removeWithoutAccounts(id));
  yield* commit(
    ...(isRemoved
      ? [deleteSessionsOf("operator_sessions", id), deleteSessionsOf("invitations", id)]
      : []),
    ...activity.filter(({ account }) => revoked.has(account)).map(insertActivity),
  );
  return "written";
}
