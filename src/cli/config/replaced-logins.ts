import { type Mode, modes } from "../../contract/field-values.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import type { Keyring } from "./keyring.ts";
import { type Place, defaultContext, readLogin, readService, unlessDamaged } from "./profile.ts";

// A login may take the place of another one: the context's service changes, or a key of another account is lost.

type StoredLogin = NonNullable<ReturnType<typeof readLogin>> & { mode: Mode };

export type NewLogin = { baseUrl: string; mode: Mode; key: string; isSandbox: boolean };

export type ReplacedLogins = {
  /** The service that the context leaves; undefined where it stays with its own. */
  service: string | undefined;
  /** Its keys there. */
  elsewhere: StoredLogin[];
  /** The key of the mode that the new one replaces at the same service. */
  here: StoredLogin | undefined;
  /** Whether the user is to be asked before the service changes. */
  isQuestion: boolean;
};

/**
 * What a login replaces in its context, by files and the keyring alone. The same key replaces nothing, nor does a
 * sandbox's what is on this machine, in the course of a day's work. A damaged login is none.
 */
export function findReplacedLogins(
  place: Place,
  { baseUrl, mode, key, isSandbox }: NewLogin,
  keyring: Keyring,
): ReplacedLogins {
  const logins = modes.flatMap((each): StoredLogin[] => {
    const login = unlessDamaged(() => readLogin(place, each, keyring));
    return login ? [{ ...login, mode: each }] : [];
  });
  const before = logins.find((login) => login.mode === mode);
  const isSame = before !== undefined && isSameKey(before, key);
  const isOfSandbox = isSandbox && before !== undefined && isLocal(before.baseUrl);
  if (before?.baseUrl === baseUrl) {
    const here = isSame || isOfSandbox ? undefined : before;
    return { service: undefined, elsewhere: [], here, isQuestion: false };
  }
  const elsewhere = logins.filter((login) => {
    if (login === before) return !isSame;
    // Files of before there were contexts may hold two services, each with its own key: the other one stays.
    if (isOfSandbox && login.baseUrl !== before?.baseUrl) return false;
    return login.baseUrl !== baseUrl;
  });
  const [known] = elsewhere;
  const remembered =
    logins.length === 0 ? unlessDamaged(() => readService(place, mode)) : undefined;
  const service = known?.baseUrl ?? (remembered === baseUrl ? undefined : remembered);
  const isDaily =
    isSandbox && [service ?? "", ...elsewhere.map((each) => each.baseUrl)].every(isLocal);
  return { service, elsewhere, here: undefined, isQuestion: service !== undefined && !isDaily };
}

/** Why a login is asked about, in sentences. */
export function describeReplaced(
  { context = defaultContext }: Place,
  { service, elsewhere }: ReplacedLogins,
  baseUrl: string,
): string {
  const keys = elsewhere.map(({ mode, key }) => `${mode} …${key.last4}`).join(" and ");
  const lost =
    keys === ""
      ? ""
      : ` It would lose its ${elsewhere.length > 1 ? "keys" : "key"} there, ${keys}.`;
  return `The context ${context} is for ${service}, not for ${baseUrl}.${lost}`;
}

/** The keyring is called only where the last characters are the same; one that does not answer makes them another key. */
function isSameKey({ key: stored }: StoredLogin, key: string): boolean {
  return stored.last4 === key.slice(-4) && unlessDamaged(() => stored.value()) === key;
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
