/**
 * The author of an action: an operator in the dashboard, a key over the API, or a command on the service's database.
 */
export type Actor =
  | { type: "operator" | "api_key"; id: string; name: string }
  /** `name` is the system's user. */
  | { type: "command"; id: null; name: string };

export type Action =
  | `account.${"created" | "renamed"}`
  | `api_key.${"created" | "rolled" | "revoked"}`
  /** A requested refund may still be declined by the card network; the payment's events record the outcome. */
  | `payment.${"refunded" | "refund_requested" | "canceled"}`
  | `webhook_endpoint.${"created" | "updated" | "enabled" | "disabled" | "rolled" | "deleted"}`
  | "event.resent"
  | `operator.${"invited" | "role_changed" | "removed" | "signed_in" | "signed_out_everywhere"}`;

/**
 * An entry of an account's audit log. `livemode` is null where it belongs to no mode. `detail` adds to the action,
 * such as the new role. `created` is in Unix seconds.
 */
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
