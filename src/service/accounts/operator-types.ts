import type { Account, Action, Activity, Operator, Role } from "../../contract/administration.ts";
import type { Listed, Range } from "../database/list-range.ts";

/** An operator, with its accounts, the oldest first. */
export type Member = { operator: Operator; accounts: Account[] };

/** Of tokens and secrets only the SHA-256 is stored. */
export type StoredInvitation = { hash: string; operatorId: string; expiresAtMs: number };
export type StoredSession = {
  hash: string;
  operatorId: string;
  begunAtMs: number;
  usedAtMs: number;
  expiresAtMs: number;
};

/**
 * Nothing was written: there is no such operator, the requesting operator may not manage the team of one of the
 * accounts, or an account would have no admin left.
 */
export type OperatorChangeFailure = "missing" | "not_allowed" | "last_admin";

/** The audit entries of a change, written in its transaction: one for each account. */
type Audited = { activity: readonly Activity[] };

/** The id of the requesting operator; without one everything is allowed. */
type Requested = { requestedBy?: string | undefined };

export type OperatorStore = {
  insertOperator(
    write: Audited & Requested & { operator: Operator; invitation: StoredInvitation },
  ): Promise<"written" | "not_allowed">;
  /** Also one who was removed. */
  findOperator(id: string): Promise<Operator | undefined>;
  /** The operators of an account, or of all, without those who were removed; the oldest first. */
  listOperators(accountId: string | undefined): Promise<Operator[]>;
  /**
   * Writes a new invitation over those that are open. With `grantedAccounts` the sessions end: an admin of the
   * other accounts can have begun one in the operator's name.
   */
  reinviteOperator(
    write: Audited &
      Requested & {
        invitation: StoredInvitation;
        role: Role | undefined;
        grantedAccounts?: readonly string[];
      },
  ): Promise<"written" | OperatorChangeFailure>;
  changeRole(
    write: Audited & Requested & { id: string; role: Role },
  ): Promise<"written" | OperatorChangeFailure>;
  /** Revokes an operator's access to accounts; an operator without any is removed, and the sessions end. */
  removeOperator(
    write: Audited & Requested & { id: string; accounts: readonly string[] },
  ): Promise<"written" | OperatorChangeFailure>;

  findInvitation(hash: string, nowMs: number): Promise<Member | undefined>;
  /** Consumes an invitation and begins a session; false where it was used, has expired, or never was. */
  acceptInvitation(
    write: Audited & { invitationHash: string; session: StoredSession },
  ): Promise<boolean>;
  findSession(
    hash: string,
    nowMs: number,
  ): Promise<(Member & { session: StoredSession }) | undefined>;
  /** Records that a session is used, and its operator active. */
  recordSessionUse(session: StoredSession): Promise<void>;
  endSession(hash: string): Promise<void>;
  endSessions(write: Audited & { operatorId: string }): Promise<void>;
  /** Purges up to `limit` sessions, and as many invitations, that have expired; returns how many. */
  purgeSessions(nowMs: number, limit: number): Promise<number>;

  listActivity(
    accountId: string,
    range: Range & {
      action?: Action | undefined;
      actorId?: string | undefined;
      actorName?: string | undefined;
    },
  ): Promise<Listed<Activity>>;
  /** Purges up to `limit` entries of an account from before a time in Unix seconds; returns how many. */
  purgeActivity(accountId: string, before: number, limit: number): Promise<number>;
};
