import { type LookupFunction, isIP } from "node:net";

type Environment = Record<string, string | undefined>;

/** Whether nobody on the way can read what is sent to an address: it is encrypted, or stays on this machine. */
export function isConfidential(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname);
}

/**
 * Whether nobody on the way can read what a service that listens on a host answers. An https `publicUrl` is that of a
 * proxy that encrypts.
 */
export function isReachedConfidentially(service: {
  host: string;
  publicUrl?: string | undefined;
}): boolean {
  const { host, publicUrl } = service;
  if (publicUrl?.startsWith("https:")) return true;
  const isHere = isLoopback(host.includes(":") ? `[${host}]` : host);
  return isHere && (publicUrl === undefined || isConfidential(publicUrl));
}

/** Whether certificates are checked. Node itself reads this variable, for each connection. */
export function checksCertificates(env: Environment = process.env): boolean {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0";
}

type Sent = {
  /** The secret that goes to the address, as the subject of a sentence. */
  what: string;
  /** The option with the address, as the message names it. */
  option: string;
  allowHttp?: boolean | undefined;
  /** Whether it is worth money, so that it goes to nobody whose certificate is not checked. */
  isLive: boolean;
};

/** Throws a `TypeError` for an address to which something secret must not be sent. */
export function assertConfidential(
  address: string,
  { what, option, allowHttp = false, isLive }: Sent,
): void {
  if (!isConfidential(address)) {
    if (allowHttp) return;
    throw new TypeError(
      `${option} is not encrypted: over plain http to another machine others could read ${what}. Use https; or allowHttp: true, where nobody else is on the way.`,
    );
  }
  if (isLive && address.startsWith("https:") && !checksCertificates()) {
    throw new TypeError(
      `NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates: another machine that answers for ${option} could get ${what}. Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.`,
    );
  }
}

/** Whether a URL's `hostname` is this machine's: no other one, and no network, is on the way there. */
export function isLoopback(hostname: string): boolean {
  return isLocalName(hostname) || /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** `localhost` and all names below it (RFC 6761, section 6.3). */
export function isLocalName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/.test(hostname);
}

/** The addresses of a local name: a program may listen at either. */
export const localAddresses = ["127.0.0.1", "::1"];

/** Resolves local names without a name server, which could send a key to another machine. */
export const resolveLocalName: LookupFunction = (_name, { all }, found) => {
  if (all)
    found(
      null,
      localAddresses.map((address) => ({ address, family: isIP(address) })),
    );
  else found(null, "127.0.0.1", 4);
};
