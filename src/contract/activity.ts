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
