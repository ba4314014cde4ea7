import type { Operator, Role } from "../../contract/administration.ts";

/** `inspect`: see what was asked of the API, by which key. */
export type Ability = "look" | "refund" | "inspect" | "administer";

const abilities: Record<Role, readonly Ability[]> = {
  viewer: ["look"],
  support: ["look", "refund", "inspect"],
  admin: ["look", "refund", "inspect", "administer"],
};

export function isAllowed(role: Role, ability: Ability): boolean {
  return abilities[role].includes(ability);
}

/** Whether an operator may manage the team of these accounts: only as an admin of each of them. */
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

export const invitationLifetimeMs = 15 * minuteMs;
/** A session's last use is stored at most once in this interval. */
export const lastSeenIntervalMs = minuteMs;

const maxIdleMs = 12 * hourMs;
export const maxSessionMs = 7 * 24 * hourMs;

export function computeSessionEnd(begunAtMs: number, usedAtMs: number): number {
  return Math.min(usedAtMs + maxIdleMs, begunAtMs + maxSessionMs);
}
