import type { Account } from "../../../contract/account.ts";
import type { Actor } from "../../ports/activity.ts";
import type { Mode } from "../../../contract/key.ts";
import { isAllowed, type Ability } from "../../domain/operator-rights.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { AddressWithin } from "./navigation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler of any page of an account. */
    visit: Visit;
  }
  interface FastifyContextConfig {
    /** What an operator must be allowed to do for a page; everything, unless it is said otherwise. */
    needs?: Ability;
  }
}

/** Who asks for a page, and in which account and mode. */
export type Visit = {
  session: Session;
  account: Account;
  mode: Mode;
  /** Whether money moves in this mode. */
  movesMoney: boolean;
  /** How the API is reached, without a slash at the end. */
  apiUrl: string;
  scope: Scope;
  /** Who does what is done here. */
  actor: Actor;
  may: (ability: Ability) => boolean;
  /** The address of a page of an account and mode, such as `/payments`; of these, unless it is said otherwise. */
  addressOf: (path: string, other?: { account?: Account; mode?: Mode }) => string;
  /** The address of a page of no account, such as `/sign-out`. */
  ownAddressOf: AddressWithin;
};

/** `addressIn` gives the address of a path as a browser sees it. */
export function createVisit(
  {
    session,
    account,
    mode,
    movesMoney,
    apiUrl,
  }: Pick<Visit, "session" | "account" | "mode" | "movesMoney" | "apiUrl">,
  addressIn: AddressWithin,
): Visit {
  const { id, name, role } = session.operator;
  return {
    session,
    account,
    mode,
    movesMoney,
    apiUrl,
    scope: { accountId: account.id, livemode: mode === "live" },
    actor: { type: "operator", id, name },
    may: (ability) => isAllowed(role, ability),
    addressOf: (path, other = {}) =>
      addressIn(`/${other.account?.id ?? account.id}/${other.mode ?? mode}${path}`),
    ownAddressOf: addressIn,
  };
}
