import { type BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/**
 * The address of the client: the other end of the connection, or behind trusted proxies the last address that they
 * have added to `X-Forwarded-For`. A client can forge those before it.
 */
export function findClientAddress(request: FastifyRequest, trusted: BlockList): string {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = normalize(request.raw.socket.remoteAddress ?? "");
  while (isTrusted(address, trusted)) {
    const before = normalize(forwarded.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** The prefix that identifies a client: 64 bits of an IPv6 address, since the client chooses the others itself. */
export function ipPrefix(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before, after] = address.split("::");
  const [first, last] = [splitGroups(before), splitGroups(after)];
  const zeros = after === undefined ? 0 : 8 - first.length - last.length;
  const network = [...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4);
  return network.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}

function splitGroups(part = ""): string[] {
  return part.split(":").filter((group) => group !== "");
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 4 ? "ipv4" : "ipv6");
}

/**
 * An address without its port, which some proxies add, and without the `::ffff:` that a socket for both versions puts
 * before one of version 4.
 */
function normalize(text: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
