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
export type NavigationItem = keyof typeof navigation;

/** Where an operator comes in. */
export const home: NavigationItem = "overview";

/** The address of a path below `/dashboard`, as a browser sees it. */
export type AddressWithin = (path: string) => string;

/** Where all of them stand; `visit.ts` knows the account, the mode, and who asks. */
export const accountPath = "/dashboard/:account/:mode";
