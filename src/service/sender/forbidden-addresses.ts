import { BlockList, isIPv4, isIPv6 } from "node:net";

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
