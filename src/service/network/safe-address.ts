import { isLoopback } from "../../client/loopback.ts";

/** Whether card numbers may be sent to a URL: encrypted, or without leaving this machine. */
export function isSafeForCards(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
