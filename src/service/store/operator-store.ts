import type { Operator, Role } from "../../contract/operator.ts";
import type { Member, OperatorRefusal, OperatorStore } from "../use-cases/operator-store.ts";
import { finish, run, together, type Driver, type Work } from "./driver.ts";
import { deleteActivity, insertActivity, selectActivity } from "./sql/activity.ts";
import {
  deleteExpired,
  deleteOf,
  deleteSession,
  insertInvitation,
  insertSession,
  selectInvitation,
  selectSession,
  updateSession,
  useInvitation,
} from "./sql/operator-sessions.ts";
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
} from "./sql/operators.ts";
import { unlessPartLost } from "./take-due.ts";

/**
 * What the store keeps of operators, of how they get in, and of what was done. Whoever changes several rows of an
 * operator locks that first, before its sessions and its links: so nobody waits for who waits for them.
 */
export function operatorStore(driver: Driver): OperatorStore {
  return {
    insertOperator: ({ operator, invitation, activity }) =>
      driver.write(function* () {
        yield* finish(
          insertOperator(operator),
          ...operator.accounts.map((account) => addAccount(operator.id, account)),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
      }),
    findOperator: (id) => driver.read(() => run(selectOperator(id))),
    listOperators: (accountId) => driver.read(() => run(selectOperators(accountId))),
    reinviteOperator: ({ invitation, role, activity }) =>
      driver.write(function* () {
        const { operatorId } = invitation;
        const refusal = yield* refusalOf(operatorId, lowered(role));
        if (refusal) return refusal;
        yield* finish(
          ...(role === undefined ? [] : [changeRole(operatorId, role)]),
          deleteOf("operator_sessions", operatorId),
          deleteOf("invitations", operatorId),
          insertInvitation(invitation),
          ...activity.map(insertActivity),
        );
        return "written";
      }),
    changeRole: ({ id, role, activity }) =>
      driver.write(function* () {
        const refusal = yield* refusalOf(id, lowered(role));
        if (refusal) return refusal;
        yield* finish(changeRole(id, role), ...activity.map(insertActivity));
        return "written";
      }),
    removeOperator: (write) => driver.write((isAgain) => removal(write, isAgain)),

    findInvitation: (hash, nowMs) =>
      driver.read(function* () {
        const operatorId = yield* run(selectInvitation(hash, nowMs));
        return operatorId === undefined ? undefined : yield* member(operatorId);
      }),
    acceptInvitation: ({ invitationHash, session, activity }) =>
      driver.write(function* (isAgain) {
        const { hash, operatorId, begunAtMs } = session;
        const use = useInvitation(invitationHash, begunAtMs);
        const [, isUsed] = yield* together(lockOperator(operatorId), use);
        if (!isUsed) {
          return isAgain && (yield* run(selectSession(hash, begunAtMs))) !== undefined;
        }
        yield* finish(
          insertSession(session),
          activate(operatorId),
          noteSeen(operatorId, Math.floor(begunAtMs / 1000)),
          ...activity.map(insertActivity),
        );
        return true;
      }),
    findSession: (hash, nowMs) =>
      driver.read(function* () {
        const session = yield* run(selectSession(hash, nowMs));
        const found = session && (yield* member(session.operatorId));
        return found && { ...found, session };
      }),
    noteSession: (session) =>
      driver.write(function* () {
        const seenAt = Math.floor(session.usedAtMs / 1000);
        yield* finish(noteSeen(session.operatorId, seenAt), updateSession(session));
      }),
    endSession: (hash) =>
      driver.write(function* () {
        yield* finish(deleteSession(hash));
      }),
    endSessions: ({ operatorId, activity }) =>
      driver.write(function* () {
        yield* finish(deleteOf("operator_sessions", operatorId), ...activity.map(insertActivity));
      }),
    forgetSessions: (nowMs, limit) =>
      driver.write(function* () {
        const counts = yield* finish(
          deleteExpired("operator_sessions", nowMs, limit),
          deleteExpired("invitations", nowMs, limit),
        );
        return counts[0] + counts[1];
      }),

    listActivity: (accountId, range) =>
      driver.read(function* () {
        const more = { ...range, limit: range.limit + 1 };
        const rows = yield* run(selectActivity(accountId, more));
        const items = rows.slice(0, range.limit);
        return {
          items: range.direction === "forward" ? items : items.toReversed(),
          hasMore: rows.length > range.limit,
        };
      }),
    forgetActivity: async (accountId, before, limit) => {
      const forgotten = driver.write(function* () {
        return (yield* finish(deleteActivity(accountId, before, limit)))[0];
      });
      return await unlessPartLost(forgotten, 0);
    },
  };
}

function* member(operatorId: string): Work<Member | undefined> {
  const [operator, accounts] = yield* together(
    selectOperator(operatorId),
    selectAccountsOf(operatorId),
  );
  return operator && operator.status !== "removed" ? { operator, accounts } : undefined;
}

/**
 * What keeps an operator from being changed: nobody has the id, or one of these accounts would have no admin left.
 * The operator's accounts are locked before, always in the same order: of two who take two admins at once, the one
 * that comes second sees what the first has done.
 */
function* refusalOf(
  id: string,
  losing: (operator: Operator) => readonly string[],
): Work<OperatorRefusal | undefined> {
  const before = yield* run(selectOperator(id));
  for (const account of before?.accounts.toSorted() ?? []) yield* run(lockAccount(account));
  const [, operator] = yield* together(lockOperator(id), selectOperator(id));
  if (!operator || operator.status === "removed") return "missing";
  if (operator.role !== "admin") return undefined;
  for (const account of losing(operator)) {
    if (!(yield* run(hasOtherAdmin(account, operator)))) return "last_admin";
  }
  return undefined;
}

/** The accounts that lose an admin where an operator gets a role. */
function lowered(role: Role | undefined): (operator: Operator) => readonly string[] {
  return ({ accounts }) => (role === undefined || role === "admin" ? [] : accounts);
}

function* removal(
  { id, accounts, activity }: Parameters<OperatorStore["removeOperator"]>[0],
  isAgain: boolean,
): Work<"written" | OperatorRefusal> {
  const isLeft = ({ accounts: own }: Operator) => accounts.filter((each) => own.includes(each));
  const before = isAgain ? yield* run(selectOperator(id)) : undefined;
  if (before && isLeft(before).length === 0) return "written";
  const refusal = yield* refusalOf(id, isLeft);
  if (refusal) return refusal;
  const taken = new Set<string>();
  for (const account of accounts) if (yield* run(takeAccount(id, account))) taken.add(account);
  if (taken.size === 0) return "missing";
  const isRemoved = yield* run(removeWithoutAccounts(id));
  yield* finish(
    ...(isRemoved ? [deleteOf("operator_sessions", id), deleteOf("invitations", id)] : []),
    ...activity.filter(({ account }) => taken.has(account)).map(insertActivity),
  );
  return "written";
}
