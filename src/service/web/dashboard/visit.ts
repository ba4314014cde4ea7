import type { FastifyRequest } from "fastify";
import type { Account, Actor } from "../../../contract/administration.ts";
import type { Mode } from "../../../contract/field-values.ts";
import { isAllowed, type Ability } from "../../accounts/operator-state.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { Scope } from "../../database/scope.ts";

/** A request for the page of one payment, key, endpoint or operator. */
export type WithId = FastifyRequest<{ Params: { id: string } }>;

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler of any page of an account. */
    visit: Visit;
    /** The address of a path below `/dashboard`. Set before any page of the dashboard is sent. */
    addressIn: AddressWithin;
  }
  interface FastifyContextConfig {
    /** The ability that a page needs; `administer` by default. */
    needs?: Ability;
  }
}

type VisitContext = {
  session: Session;
  account: Account;
  mode: Mode;
  /** Whether money moves in this mode. */
  movesMoney: boolean;
  /** The address of the API, without a slash at the end. */
  apiUrl: string;
  /** The service's time when the page was requested, which ages are counted to. */
  nowMs: number;
  /** Whether the page is of a sandbox, whose database no command reaches. */
  isSandbox: boolean;
  /** The key of this account and mode that every sandbox has, and that is in no list. */
  publishedKey: string | undefined;
};

/** The operator who requests a page, and the account and mode of the page. */
export type Visit = VisitContext & {
  scope: Scope;
  /** The operator, for the audit log. */
  actor: Actor;
  may: (ability: Ability) => boolean;
  /** The address of a page of this account and mode, such as `/payments`, or of another one. */
  addressOf: (path: string, other?: { account?: Account; mode?: Mode }) => string;
  /** The address of a page of no account, such as `/sign-out`. */
  ownAddressOf: AddressWithin;
};

export function createVisit(context: VisitContext, addressIn: AddressWithin): Visit {
  const { account, mode } = context;
  const { id, name, role } = context.session.operator;
  return {
    ...context,
    scope: { accountId: account.id, livemode: mode === "live" },
    actor: { type: "operator", id, name },
    may: (ability) => isAllowed(role, ability),
    addressOf: (path, other = {}) =>
      addressIn(`/${other.account?.id ?? account.id}/${other.mode ?? mode}${path}`),
    ownAddressOf: addressIn,
  };
}

/** The pages that the navigation leads to, in its order: each under an account and a mode. */
export const navigation = {
  overview: { path: "", title: "Overview", needs: "look" },
  payments: { path: "/payments", title: "Payments", needs: "look" },
  requests: { path: "/requests", title: "Requests", needs: "inspect" },
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
