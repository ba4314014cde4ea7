import { isIP, type LookupFunction } from "node:net";

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
