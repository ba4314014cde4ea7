import type { Account } from "../../contract/account.ts";
import type { Activity } from "./activity.ts";
import type { Operator, Role } from "../../contract/operator.ts";
import type { Listed, Range } from "../domain/list-range.ts";

// What the store keeps of operators, of how they get in, and of what was done.

/** An operator, with its accounts, the oldest first. */
export type Member = { operator: Operator; accounts: Account[] };

/** Tokens and secrets are kept as their SHA-256 alone. */
export type StoredInvitation = { hash: string; operatorId: string; expiresAtMs: number };
export type StoredSession = {
  hash: string;
  operatorId: string;
  begunAtMs: number;
  usedAtMs: number;
  expiresAtMs: number;
};

/**
 * Nothing was written: there is no such operator, whoever asks may not change who works in one of the accounts, or
 * that would have no admin left.
 */
export type OperatorChangeFailure = "missing" | "not_allowed" | "last_admin";

/** What is written of who did it, in the transaction of what was done: a row for each account; none for nobody. */
type Audited = { activity: readonly Activity[] };

/** The id of the operator who asks; without one everything is allowed. */
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
   * Writes a new invitation over those that are open. Where the operator `gets` accounts, the sessions end: an admin
   * of the others can have begun one in its name.
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
  /** Takes accounts from an operator; who has none left is removed, and the sessions end. */
  removeOperator(
    write: Audited & Requested & { id: string; accounts: readonly string[] },
  ): Promise<"written" | OperatorChangeFailure>;

  findInvitation(hash: string, nowMs: number): Promise<Member | undefined>;
  /** Uses an invitation up and begins a session; false where it was used, has expired, or never was. */
  acceptInvitation(
    write: Audited & { invitationHash: string; session: StoredSession },
  ): Promise<boolean>;
  findSession(
    hash: string,
    nowMs: number,
  ): Promise<(Member & { session: StoredSession }) | undefined>;
  /** Notes that a session is used, and by its operator. */
  recordSessionUse(session: StoredSession): Promise<void>;
  endSession(hash: string): Promise<void>;
  endSessions(write: Audited & { operatorId: string }): Promise<void>;
  /** Forgets up to `limit` sessions, and as many invitations, that are over; answers how many. */
  purgeSessions(nowMs: number, limit: number): Promise<number>;

  listActivity(accountId: string, range: Range): Promise<Listed<Activity>>;
  /** Forgets up to `limit` of an account's from before a time in Unix seconds; answers how many. */
  purgeActivity(accountId: string, before: number, limit: number): Promise<number>;
};
