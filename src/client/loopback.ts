import type { LookupFunction } from "node:net";
import { Unavailable } from "../runtime/failures.ts";

/** Whether a URL's `hostname` is this machine's: no other one, and no network, is on the way there. */
export function isLoopback(hostname: string): boolean {
  return isLocalName(hostname) || /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** `localhost` and all names below it (RFC 6761, section 6.3). */
export function isLocalName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(hostname);
}

/** Resolves local names without a name server, which could send a key to another machine. */
export const resolveLocalName: LookupFunction = (_name, { all }, found) => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (all) found(null, addresses);
  else found(null, "127.0.0.1", 4);
};

type Environment = Record<string, string | undefined>;

/** A proxy, and the hosts that are reached without it. */
export type Proxy = { url: string; except: string };

/**
 * The proxy that the environment names for a service, as other programs understand it: HTTPS_PROXY for
 * https, HTTP_PROXY for http, either in small letters too. This machine itself needs none. Errors: the
 * value is no address; the message does not repeat it, because it may have a password.
 */
export function findProxy({ protocol, hostname }: URL, env: Environment): Proxy | undefined {
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const named = valueOf(name, env);
  if (named === undefined || isLoopback(hostname)) return undefined;
  const url = /^[a-z\d]+:\/\//i.test(named) ? named : `http://${named}`;
  if (!URL.canParse(url) || !/^(?:https?|socks5?):$/.test(new URL(url).protocol)) {
    throw new Unavailable(`${name} is not the address of a proxy.`);
  }
  return { url, except: valueOf("NO_PROXY", env) ?? "" };
}

/** An empty variable is as good as none. */
function valueOf(name: string, env: Environment): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}
