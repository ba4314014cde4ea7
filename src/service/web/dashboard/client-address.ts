import { type BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/**
 * Where a request comes from: its connection's other end, or where that is a trusted proxy, the last address
 * that those have added to `X-Forwarded-For`. What stands before it may be made up.
 */
export function findClientAddress(request: FastifyRequest, trusted: BlockList): string {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = plain(request.raw.socket.remoteAddress ?? "");
  while (isTrusted(address, trusted)) {
    const before = plain(forwarded.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** The addresses of one client: of version 6 the 64 bits of its network, since it chooses the others itself. */
export function ipPrefix(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before, after] = address.split("::");
  const [first, last] = [groupsOf(before), groupsOf(after)];
  const zeros = after === undefined ? 0 : 8 - first.length - last.length;
  const network = [...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4);
  return network.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}

function groupsOf(part = ""): string[] {
  return part.split(":").filter((group) => group !== "");
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 4 ? "ipv4" : "ipv6");
}

/**
 * An address alone: some proxies add the port, and a socket for both versions tells those of version 4 as
 * `::ffff:192.0.2.1`.
 */
function plain(text: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
