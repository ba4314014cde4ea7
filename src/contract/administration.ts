import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import { type Mode, type Permission, modes, permissions } from "./field-values.ts";
import type { Version } from "./route.ts";
import { maskKeys } from "./mask.ts";

/** The name of a new database's account. The checkout page does not show it. */
export const defaultAccountName = "Default";

/** An account as operators see it. `created` is in Unix seconds. */
export const accountFields = ["id", "object", "name", "default_version", "created"] as const;

export type Account = {
  id: string;
  object: "account";
  name: string;
  default_version: Version;
  created: number;
};

const maxNameLength = 200;
const maxReasonLength = 500;

export const maxAccountNameLength = 80;

/** The mistake in the name of a key or an operator, if any. */
export function findNameMistake(name: string): string | undefined {
  return findTextMistake(name, maxNameLength);
}

/** The last second of the year 9999, the last that a date and time has four digits for, in Unix seconds. */
const maxExpiry = 253_402_300_799;

/** The mistake in when a key ends, in Unix seconds, if any. */
export function findExpiryMistake(expiresAt: number): string | undefined {
  return expiresAt > maxExpiry ? "must be before the year 10000, such as in 365 days" : undefined;
}

/** The mistake in the reason for a refund, which the audit log keeps, if any. */
export function findReasonMistake(reason: string): string | undefined {
  return findTextMistake(reason, maxReasonLength);
}

function findTextMistake(text: string, maxLength: number): string | undefined {
  if (text.trim() === "") return "is empty";
  if (!isStorable(text) || !isWithin(text, 1, maxLength) || /\p{Cc}/u.test(text)) {
    return `must be 1 to ${maxLength} characters, without control characters`;
  }
  return findSecretMistake(text);
}

/** The text of a header `Service-Reason`, which is percent-encoded; empty where that is broken. */
export function decodeReason(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return "";
  }
}

/** The mistake in an account's name, if any: customers must be able to read it, and not read it as another. */
export function findAccountNameMistake(name: string): string | undefined {
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "is empty";
  const isReadable = isStorable(name) && !/[\p{Cc}\p{Bidi_Control}]/u.test(name);
  if (!isReadable || !isWithin(name, 1, maxAccountNameLength)) {
    return `must be 1 to ${maxAccountNameLength} characters, without control characters and those that turn the direction of writing`;
  }
  return findSecretMistake(name);
}

/** Names and reasons are shown to operators, in the audit log and in the log of requests. */
function findSecretMistake(text: string): string | undefined {
  if (maskKeys(text) !== text)
    return "must not hold an API key or a webhook secret: it would be stored";
  return containsCardNumber(text) ? cardNumberPhrase : undefined;
}

/** A secret API key; its prefix says its mode (specification: Authentication). */
export const apiKeyPattern = /^svc_(test|live)_sk_[A-Za-z0-9]{43}$/;

/** The mode that a key's prefix says, or undefined where it has neither prefix. */
export function parseKeyMode(key: string): Mode | undefined {
  return modes.find((mode) => key.startsWith(keyPrefix(mode)));
}

export function keyPrefix(mode: Mode): string {
  return `svc_${mode}_sk_`;
}

const namingFields = ["id", "object", "account", "mode", "name"] as const;

const otherFields = [
  "last4",
  "created",
  "expires_at",
  "revoked_at",
  "last_used_at",
  "permissions",
  "max_refund",
] as const;

/** What a key may do: its permissions, sorted, and the limit of each refund in minor units, null without one. */
export type KeyGrant = { permissions: readonly Permission[]; max_refund: number | null };

/** The same as any service tells it; one from before keys could be restricted tells neither. */
type ToldGrant = {
  permissions?: readonly string[] | undefined;
  max_refund?: number | null | undefined;
};

/** Whether a key may less than everything. */
export function isRestricted({
  permissions: allowed = permissions,
  max_refund,
}: ToldGrant): boolean {
  return max_refund != null || permissions.some((permission) => !allowed.includes(permission));
}

/** What a key may do: `everything`, or `read, refund (at most 5000)`. */
export function formatGrant(grant: ToldGrant): string {
  if (!isRestricted(grant)) return "everything";
  const { permissions: allowed = permissions, max_refund: maxRefund } = grant;
  const limit = maxRefund == null ? "" : ` (at most ${maxRefund})`;
  return allowed.map((each) => (each === "refund" ? `refund${limit}` : each)).join(", ");
}

/** The limit of refunds in a text, in minor units; undefined where it is none. */
export function parseMaxRefund(text: string): number | undefined {
  const amount = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return amount >= 1 && Number.isSafeInteger(amount) ? amount : undefined;
}

/** A key as operators see it. `account` is an id, times are Unix seconds. */
export const keyFields = [...namingFields, ...otherFields] as const;

export type ApiKey = Record<"id" | "account" | "name" | "last4", string> &
  KeyGrant & {
    object: "api_key";
    mode: Mode;
    created: number;
    expires_at: number | null;
    revoked_at: number | null;
    /** To the minute. */
    last_used_at: number | null;
  };

/** A new key, which is shown whole only once. */
export type IssuedKey = ApiKey & { key: string };

export const issuedKeyFields = [...namingFields, "key", ...otherFields] as const;

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

/**
 * The author of an action: an operator in the dashboard, a key over the API, or a command on the service's database.
 */
export type Actor =
  | { type: "operator" | "api_key"; id: string; name: string }
  /** `name` is the system's user. */
  | { type: "command"; id: null; name: string };

/**
 * The actions that an audit entry can record. A requested refund may still be declined by the card network; the
 * payment's events record the outcome.
 */
export const actions = [
  "account.created",
  "account.renamed",
  "api_key.created",
  "api_key.rolled",
  "api_key.revoked",
  "payment.refunded",
  "payment.refund_requested",
  "payment.canceled",
  "webhook_endpoint.created",
  "webhook_endpoint.updated",
  "webhook_endpoint.enabled",
  "webhook_endpoint.disabled",
  "webhook_endpoint.rolled",
  "webhook_endpoint.deleted",
  "webhook_endpoint.tested",
  "webhook_endpoint.recovered",
  "event.resent",
  "operator.invited",
  "operator.role_changed",
  "operator.removed",
  "operator.signed_in",
  "operator.signed_out_everywhere",
] as const;

export type Action = (typeof actions)[number];

export const activityIdPattern = /^act_[a-zA-Z0-9-]+$/;

/**
 * An entry of an account's audit log. `livemode` is null where it belongs to no mode. `detail` adds to the action,
 * such as the new role. `created` is in Unix seconds.
 */
export const activityFields = [
  "id",
  "object",
  "account",
  "livemode",
  "actor.type",
  "actor.id",
  "actor.name",
  "action",
  "subject.id",
  "subject.name",
  "detail",
  "created",
] as const;

export type Activity = {
  id: string;
  object: "activity";
  account: string;
  livemode: boolean | null;
  actor: Actor;
  action: Action;
  subject: { id: string; name: string | null };
  detail: string | null;
  created: number;
};
