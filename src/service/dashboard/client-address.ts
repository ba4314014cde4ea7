import { type BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/**
 * Where a request comes from: its connection's other end, or where that is a trusted proxy, the last address
 * that those have added to `X-Forwarded-For`. What stands before it may be made up.
 */
export function clientAddress(request: FastifyRequest, trusted: BlockList): string {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = plain(request.raw.socket.remoteAddress ?? "");
  while (isTrusted(address, trusted)) {
    const before = plain(forwarded.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** A socket for both versions tells those of version 4 as `::ffff:192.0.2.1`. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
