import type { Account } from "../../contract/account.ts";
import type { Activity } from "../../contract/activity.ts";
import type { Operator, Role } from "../../contract/operator.ts";
import type { Listed, Range } from "./event-store.ts";

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

/** Nothing was written: an account would have no admin left, or there is no such operator. */
export type OperatorRefusal = "last_admin" | "missing";

/** What is written of who did it, in the transaction of what was done: a row for each account; none for nobody. */
type Recorded = { activity: readonly Activity[] };

export type OperatorStore = {
  insertOperator(
    write: Recorded & { operator: Operator; invitation: StoredInvitation },
  ): Promise<void>;
  /** Also one who was removed. */
  findOperator(id: string): Promise<Operator | undefined>;
  /** The operators of an account, or of all, without those who were removed; the oldest first. */
  listOperators(accountId: string | undefined): Promise<Operator[]>;
  /** Writes a new invitation over those that are open, and ends the sessions. */
  reinviteOperator(
    write: Recorded & { invitation: StoredInvitation; role: Role | undefined },
  ): Promise<"written" | OperatorRefusal>;
  changeRole(write: Recorded & { id: string; role: Role }): Promise<"written" | OperatorRefusal>;
  /** Takes accounts from an operator; who has none left is removed, and the sessions end. */
  removeOperator(
    write: Recorded & { id: string; accounts: readonly string[] },
  ): Promise<"written" | OperatorRefusal>;

  findInvitation(hash: string, nowMs: number): Promise<Member | undefined>;
  /** Uses an invitation up and begins a session; false where it was used, has expired, or never was. */
  acceptInvitation(
    write: Recorded & { invitationHash: string; session: StoredSession },
  ): Promise<boolean>;
  findSession(
    hash: string,
    nowMs: number,
  ): Promise<(Member & { session: StoredSession }) | undefined>;
  /** Notes that a session is used, and by its operator. */
  noteSession(session: StoredSession): Promise<void>;
  endSession(hash: string): Promise<void>;
  endSessions(write: Recorded & { operatorId: string }): Promise<void>;
  /** Forgets up to `limit` sessions, and as many invitations, that are over; answers how many. */
  forgetSessions(nowMs: number, limit: number): Promise<number>;

  listActivity(accountId: string, range: Range): Promise<Listed<Activity>>;
  /** Forgets up to `limit` of an account's from before a time in Unix seconds; answers how many. */
  forgetActivity(accountId: string, before: number, limit: number): Promise<number>;
};
