import type { Ability } from "../../domain/operator-rights.ts";

/** The pages that the navigation leads to, in its order: each under an account and a mode. */
export const navigation = {
  overview: { path: "", title: "Overview", needs: "look" },
  payments: { path: "/payments", title: "Payments", needs: "look" },
  keys: { path: "/keys", title: "Keys", needs: "administer" },
  webhooks: { path: "/webhooks", title: "Webhooks", needs: "administer" },
  team: { path: "/team", title: "Team", needs: "administer" },
  activity: { path: "/activity", title: "Activity", needs: "administer" },
  settings: { path: "/settings", title: "Settings", needs: "administer" },
} as const satisfies Record<string, { path: string; title: string; needs: Ability }>;
export type Section = keyof typeof navigation;

/** The page after signing in. */
export const home: Section = "overview";

/** The address of a path below `/dashboard`, as a browser sees it. */
export type AddressWithin = (path: string) => string;

/** The route above all pages of an account and mode. */
export const accountPath = "/dashboard/:account/:mode";
