import { Resolver, lookup } from "node:dns/promises";
import { BlockList, type LookupFunction, isIP, isIPv4, isIPv6 } from "node:net";
import { buildConnector } from "undici";
import { isLocalName, localAddresses } from "../../runtime/transport-safety.ts";

/** How a connector finds addresses, and which of them it refuses. */
type Guard = {
  /** Finds all addresses of a name that is not this machine's own. */
  lookUp: (hostname: string) => Promise<string[]>;
  isForbidden: (address: string) => boolean;
  timeoutMs: number;
  /** A certificate authority instead of those that Node trusts. */
  ca: string | undefined;
};

/**
 * Opens the connections of webhooks. Addresses are checked where they are used, because a name's addresses may
 * change between a check and the connection: the address in the URL, those that the connection itself looks up,
 * and, before a byte is sent, the one that it is connected to.
 */
export function createGuardedConnector({
  lookUp,
  isForbidden,
  timeoutMs,
  ca,
}: Guard): buildConnector.connector {
  async function lookUpAllowed(hostname: string) {
    const addresses = isLocalName(hostname) ? localAddresses : await lookUp(hostname);
    if (addresses.some(isForbidden)) throw createForbiddenNameError();
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
  const lookUpAddress: LookupFunction = (hostname, _options, found) => {
    lookUpAllowed(hostname).then(
      (addresses) => found(null, addresses),
      (error: Error) => found(error, []),
    );
  };
  const limits = { timeout: timeoutMs, allowH2: false };
  const open = buildConnector({ ...limits, lookup: lookUpAddress, autoSelectFamily: true }); // looks up all addresses
  const encrypt = buildConnector({ ...limits, ca, rejectUnauthorized: true });

  return (target, done) => {
    const { hostname, protocol } = target;
    if (isIP(hostname) && isForbidden(hostname)) {
      // Never before this function returns, as after any other connection.
      queueMicrotask(() => done(createForbiddenError(`${hostname} is`), null));
      return;
    }
    const port = target.port || (protocol === "https:" ? "443" : "80");
    open({ hostname, port, protocol: "http:" }, (error, socket) => {
      if (error) done(error, null);
      else if (isForbidden(socket.remoteAddress ?? "")) {
        socket.destroy();
        done(createForbiddenNameError(), null);
      } else if (protocol === "https:") encrypt({ ...target, httpSocket: socket }, done);
      else done(null, socket);
    });
  };
}

/** The message leaves the address out: a merchant must not learn the addresses of names inside this network. */
function createForbiddenNameError(): Error {
  return createForbiddenError("the endpoint's name leads to");
}

function createForbiddenError(what: string): Error {
  return new Error(`${what} a private address, which webhooks may not reach`);
}

/** IPv4 ranges that lead to the service itself, its own network, or no host (IANA's special-purpose registry). */
const forbiddenIpv4 = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8", // private
  "100.64.0.0/10", // a carrier's own, and a cloud's metadata
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a cloud's own services, on every machine of it
  "169.254.0.0/16", // link-local, with most clouds' metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocols, and a cloud's metadata
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

/**
 * The only IPv6 range that is routed between networks. Outside of it are loopback, addresses that hold an IPv4
 * address (mapped, compatible, NAT64), unique local, link-local and multicast ones.
 */
const routedIpv6 = "2000::/3";
const forbiddenIpv6 = [
  "2001::/23", // protocols, among them Teredo, which holds an IPv4 address
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which holds an IPv4 address
  "3fff::/20", // documentation
];

const forbidden = createBlockList([...forbiddenIpv4, ...forbiddenIpv6]);
const routed = createBlockList([routedIpv6]);

/** Whether webhooks must not reach an address. Text that is no address, or one with a zone, is forbidden, too. */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return forbidden.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return true;
  return !routed.check(address, "ipv6") || forbidden.check(address, "ipv6");
}

function createBlockList(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), isIPv4(network) ? "ipv4" : "ipv6");
  }
  return list;
}

/**
 * Queries name servers without the system's look-up, which has few threads for the whole process: name servers
 * that never answer would block them.
 */
export async function lookUpByDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  const answers = await Promise.allSettled(queries);
  const found = answers.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const [first] = answers;
  if (found.length === 0 && first?.status === "rejected") throw first.reason;
  return found;
}

/** Finds names that only this machine knows, too. */
export async function lookUpBySystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
