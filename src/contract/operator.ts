/** A viewer may read, support may also refund, an admin may do everything (`may` has the details). */
export const roles = ["viewer", "support", "admin"] as const;
export type Role = (typeof roles)[number];

/**
 * A person who works in the dashboard. `accounts` are ids, the oldest account first; an operator
 * is `invited` until the first invitation is accepted. Times are Unix seconds.
 */
export const operatorFields = [
  "id",
  "object",
  "name",
  "role",
  "accounts",
  "status",
  "created",
  "last_seen_at",
] as const;
export type Operator = {
  id: string;
  object: "operator";
  name: string;
  role: Role;
  accounts: string[];
  status: "invited" | "active" | "removed";
  created: number;
  last_seen_at: number | null;
};

/** An operator with the link for the first sign-in, which is shown only once. */
export type InvitedOperator = Operator & { invitation: { url: string; expires_at: number } };
export const invitedOperatorFields = [
  ...operatorFields,
  "invitation.url",
  "invitation.expires_at",
] as const;
