import { isLoopback } from "../client/loopback.ts";
import { usageError } from "./endings/command-error.ts";
import type { Environment } from "./settings/directories.ts";
import { normalizedUrl } from "./settings/settings.ts";
import { refuseUnsafeWay } from "./way-to-service.ts";

/** The adapter of a card network, and the secret that it asks for. */
export type NetworkAdapter = { url: string; secret: string };

/** What may be sent as a header as it is. */
const sendable = /^[\x20-\x7e]+$/;

/**
 * The adapter at an address, with the secret that the environment has for it. Errors: no such address,
 * one where others could read card numbers on their way, or no secret.
 */
export function adapterAt(address: string, env: Environment): NetworkAdapter {
  const url = normalizedUrl(address, "The adapter's address");
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname)) {
    throw usageError(
      "Card numbers would go to the adapter without encryption. Nothing was sent.",
      "Use https://, or on this machine http://127.0.0.1.",
    );
  }
  const secret = env["PAYMENTS_NETWORK_SECRET"]?.trim() ?? "";
  if (!sendable.test(secret)) {
    throw usageError(
      secret === ""
        ? "PAYMENTS_NETWORK_SECRET is not set."
        : "PAYMENTS_NETWORK_SECRET has characters that cannot be sent.",
      "Put the secret there that the adapter asks for, in letters, digits and signs of ASCII.",
    );
  }
  refuseUnsafeWay({ baseUrl: url, mode: "live" }, {}, env);
  return { url, secret };
}
