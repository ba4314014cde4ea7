import type { Operator, Role } from "../../contract/operator.ts";

export type Ability = "look" | "refund" | "administer";

const abilities: Record<Role, readonly Ability[]> = {
  viewer: ["look"],
  support: ["look", "refund"],
  admin: ["look", "refund", "administer"],
};

export function isAllowed(role: Role, ability: Ability): boolean {
  return abilities[role].includes(ability);
}

/** Whether an operator may change who works in these accounts: only in accounts of its own, and there as an admin. */
export function canChangeIn(operator: Operator, accounts: readonly string[]): boolean {
  const { status, role, accounts: own } = operator;
  return (
    status === "active" &&
    isAllowed(role, "administer") &&
    accounts.every((account) => own.includes(account))
  );
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long a link signs in. */
export const invitationLifetimeMs = 15 * minuteMs;
/** A session's last use is noted once in this time at the most. */
export const lastSeenIntervalMs = minuteMs;

const unusedMs = 12 * hourMs;
/** How long a session lasts at the most. */
export const maxSessionMs = 7 * 24 * hourMs;

/** When a session ends that began at one time and is used at another. */
export function computeSessionEnd(begunAtMs: number, usedAtMs: number): number {
  return Math.min(usedAtMs + unusedMs, begunAtMs + maxSessionMs);
}
