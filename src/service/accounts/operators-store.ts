import type { Account, Action, Activity, Operator, Role } from "../../contract/administration.ts";
import {
  type Driver,
  type Transaction,
  batch,
  commit,
  query,
  readOne,
  writeAll,
  writeOne,
} from "../database/driver.ts";
import { type Listed, type Range, readPage } from "../database/listing.ts";
import { activityTable, deleteActivity, insertActivities } from "./accounts-store.ts";
import { canChangeIn } from "./operator-state.ts";
import {
  type StoredInvitation,
  type StoredSession,
  activate,
  changeRole,
  consumeInvitation,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  grantAccount,
  hasOtherAdmin,
  insertInvitation,
  insertOperator,
  insertSession,
  lockAccount,
  lockOperator,
  recordSeen,
  removeWithoutAccounts,
  revokeAccount,
  selectAccountsOf,
  selectInvitation,
  selectOperator,
  selectOperators,
  selectSession,
  updateSession,
} from "./operators-sql.ts";

/**
 * Operators, their invitations and sessions, and the audit log. A transaction that changes several rows of an
 * operator locks the operator first, before its accounts, sessions and invitations: so transactions cannot deadlock,
 * and the operator does not change after it was read.
 */
export function createOperatorStore(driver: Driver) {
  return {
    insertOperator: ({
      operator,
      invitation,
      activity,
      requestedBy,
    }: Audited & Requested & { operator: Operator; invitation: StoredInvitation }): Promise<
      "written" | "not_allowed"
    > =>
      driver.write(function* () {
        const { id, accounts } = operator;
        yield* lockAccounts(accounts);
        if (!(yield* isAllowed(requestedBy, accounts))) return "not_allowed";
        yield* commit(
          insertOperator(operator),
          ...accounts.map((account) => grantAccount(id, account)),
          insertInvitation(invitation),
          ...insertActivities(activity),
        );
        return "written";
      }),
    /** Also one who was removed. */
    findOperator: (id: string): Promise<Operator | undefined> =>
      readOne(driver, selectOperator(id)),
    /** The operators of an account, or of all, without those who were removed; the oldest first. */
    listOperators: (accountId: string | undefined): Promise<Operator[]> =>
      readOne(driver, selectOperators(accountId)),
    /**
     * Writes a new invitation over those that are open. With `grantedAccounts` the sessions end: an admin of the
     * other accounts can have begun one in the operator's name.
     */
    reinviteOperator: ({
      invitation,
      role,
      grantedAccounts = [],
      activity,
      requestedBy,
    }: Audited &
      Requested & {
        invitation: StoredInvitation;
        role: Role | undefined;
        grantedAccounts?: readonly string[];
      }): Promise<"written" | OperatorChangeFailure> =>
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
          ...insertActivities(activity),
        );
        return "written";
      }),
    changeRole: ({
      id,
      role,
      activity,
      requestedBy,
    }: Audited & Requested & { id: string; role: Role }): Promise<
      "written" | OperatorChangeFailure
    > =>
      driver.write(function* () {
        const change = { id, requestedBy };
        const failure = yield* findFailure(change, ownAccounts, selectAccountsLosingAdmin(role));
        if (failure) return failure;
        yield* commit(changeRole(id, role), ...insertActivities(activity));
        return "written";
      }),
    /** Revokes an operator's access to accounts; an operator without any is removed, and the sessions end. */
    removeOperator: (
      write: Audited & Requested & { id: string; accounts: readonly string[] },
    ): Promise<"written" | OperatorChangeFailure> =>
      driver.write((mayBeWritten) => removeOperator(write, mayBeWritten)),

    findInvitation: (hash: string, nowMs: number): Promise<Member | undefined> =>
      driver.read(function* () {
        const operatorId = yield* query(selectInvitation(hash, nowMs));
        return operatorId === undefined ? undefined : yield* findMember(operatorId);
      }),
    /** Consumes an invitation and begins a session; false where it was used, has expired, or never was. */
    acceptInvitation: ({
      invitationHash,
      session,
      activity,
    }: Audited & { invitationHash: string; session: StoredSession }): Promise<boolean> =>
      driver.write(function* (mayBeWritten) {
        const { hash, operatorId, begunAtMs } = session;
        const consume = consumeInvitation(invitationHash, begunAtMs);
        const [, isConsumed] = yield* batch(lockOperator(operatorId), consume);
        if (!isConsumed) {
          return mayBeWritten && (yield* query(selectSession(hash, begunAtMs))) !== undefined;
        }
        yield* commit(
          insertSession(session),
          activate(operatorId),
          recordSeen(operatorId, Math.floor(begunAtMs / 1000)),
          ...insertActivities(activity),
        );
        return true;
      }),
    findSession: (
      hash: string,
      nowMs: number,
    ): Promise<(Member & { session: StoredSession }) | undefined> =>
      driver.read(function* () {
        const session = yield* query(selectSession(hash, nowMs));
        const member = session && (yield* findMember(session.operatorId));
        return member && { ...member, session };
      }),
    /** Records that a session is used, and its operator active. */
    recordSessionUse: (session: StoredSession): Promise<void> => {
      const seenAt = Math.floor(session.usedAtMs / 1000);
      return writeAll(driver, [recordSeen(session.operatorId, seenAt), updateSession(session)]);
    },
    endSession: (hash: string): Promise<void> => writeAll(driver, [deleteSession(hash)]),
    endSessions: ({ operatorId, activity }: Audited & { operatorId: string }): Promise<void> =>
      writeAll(driver, [
        deleteSessionsOf("operator_sessions", operatorId),
        ...insertActivities(activity),
      ]),
    /** Purges up to `limit` sessions, and as many invitations, that have expired; returns how many. */
    purgeSessions: (nowMs: number, limit: number): Promise<number> =>
      driver.write(function* () {
        const [sessions, invitations] = yield* commit(
          deleteExpiredSessions("operator_sessions", nowMs, limit),
          deleteExpiredSessions("invitations", nowMs, limit),
        );
        return sessions + invitations;
      }),

    listActivity: (
      accountId: string,
      {
        action,
        actorId,
        actorName,
        ...range
      }: Range & {
        action?: Action | undefined;
        actorId?: string | undefined;
        actorName?: string | undefined;
      },
    ): Promise<Listed<Activity>> =>
      driver.read(() => {
        const filters = { action, actor_id: actorId, actor_name: actorName };
        return readPage(activityTable, { accountId }, range, filters);
      }),
    /** Purges up to `limit` entries of an account from before a time in Unix seconds; returns how many. */
    purgeActivity: (accountId: string, before: number, limit: number): Promise<number> =>
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
  mayBeWritten: boolean,
): Transaction<"written" | OperatorChangeFailure> {
  const lost: AccountsOf = ({ accounts: own }) => accounts.filter((each) => own.includes(each));
  const before = mayBeWritten ? yield* query(selectOperator(id)) : undefined;
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
    ...insertActivities(activity.filter(({ account }) => revoked.has(account))),
  );
  return "written";
}

/** An operator, with its accounts, the oldest first. */
export type Member = { operator: Operator; accounts: Account[] };

/**
 * Nothing was written: there is no such operator, the requesting operator may not manage the team of one of the
 * accounts, or an account would have no admin left.
 */
export type OperatorChangeFailure = "missing" | "not_allowed" | "last_admin";

/** The audit entries of a change, written in its transaction: one for each account. */
type Audited = { activity: readonly Activity[] };

/** The id of the requesting operator; without one everything is allowed. */
type Requested = { requestedBy?: string | undefined };

export type OperatorStore = ReturnType<typeof createOperatorStore>;
