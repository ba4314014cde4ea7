/** Who does something: an operator in the dashboard, a key over the API, or a command on the service's database. */
export type Actor =
  | { type: "operator" | "api_key"; id: string; name: string }
  /** `name` is the system's user. */
  | { type: "command"; id: null; name: string };

export type Action =
  | `account.${"created" | "renamed"}`
  | `api_key.${"created" | "rolled" | "revoked"}`
  /** Requested: of a card network, which may decline it. The payment's events tell what became of it. */
  | `payment.${"refunded" | "refund_requested"}`
  | `webhook_endpoint.${"created" | "updated" | "enabled" | "disabled" | "rolled" | "deleted"}`
  | "event.resent"
  | `operator.${"invited" | "role_changed" | "removed" | "signed_in" | "signed_out_everywhere"}`;

/**
 * Who did what, and when, in an account. `livemode` is null where it belongs to no mode. `detail` is what else
 * there is to say of it, such as the new role. `created` is in Unix seconds.
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
