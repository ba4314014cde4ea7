import { Unavailable } from "../runtime/failures.ts";
import { isLoopback } from "../runtime/loopback.ts";

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

/**
 * Whether NO_PROXY rules a proxy out for a service: it names the host, a domain above it, one port of these, or `*`.
 * An entry that begins with `*.` leaves out the domain itself.
 */
export function isRuledOut({ protocol, hostname, port }: URL, { except }: Proxy): boolean {
  const host = toName(hostname);
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return except.split(/[,\s]+/).some((entry) => {
    const [, name = entry, itsPort = ownPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (name === "" || itsPort !== ownPort) return false;
    const domain = toName(name.replace(/^\*?\./, ""));
    const isItself = host === domain && !name.startsWith("*");
    return name === "*" || isItself || host.endsWith(`.${domain}`);
  });
}

/** A host without the brackets of IPv6, and without the point at its end. */
function toName(host: string): string {
  return host
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1")
    .toLowerCase();
}

/** An empty variable is as good as none. */
function valueOf(name: string, env: Environment): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}
