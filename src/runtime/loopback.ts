import type { LookupFunction } from "node:net";

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
