import type { Role } from "../../../contract/operator.ts";

/** What each role may do, as people choose and read it. */
export const roleMeanings: Record<Role, string> = {
  viewer: "viewer: looks at payments",
  support: "support: looks at payments, and refunds them",
  admin: "admin: refunds, and manages keys, webhooks and the team",
};
