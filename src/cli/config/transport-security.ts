import { isLoopback } from "../../client/loopback.ts";
import { CommandError } from "../errors/command-error.ts";
import type { Environment } from "./directories.ts";
import { embedded, type Settings } from "./resolve-settings.ts";

// Only the service may read the key: the connection must be encrypted, and certificates checked. The
// embedded service runs in this process and needs no connection.

type Target = Pick<Settings, "baseUrl" | "mode">;
export type TransportFlags = { "allow-http"?: boolean | undefined };

export function assertSafeTransport(
  { baseUrl, mode }: Target,
  flags: TransportFlags,
  env: Environment,
): void {
  assertEncrypted(baseUrl, flags);
  if (baseUrl === embedded || mode !== "live" || checksCertificates(env)) return;
  throw new CommandError(
    "key",
    `${uncheckedPhrase}: a live key could go to anyone who answers for ${baseUrl}. Nothing was sent.`,
    remedy,
  );
}

/** Refuses plain HTTP beyond this machine, unless the user allowed it. */
export function assertEncrypted(
  baseUrl: string,
  { "allow-http": isAllowed }: TransportFlags,
): void {
  if (baseUrl === embedded || isAllowed) return;
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw new CommandError(
    "key",
    `The key would go to ${baseUrl} without encryption, so others could read it. Nothing was sent.`,
    "Use https://, or on this machine http://127.0.0.1; --allow-http sends it anyway.",
  );
}

/** The warning about a transport that is allowed, but not safe. */
export function describeUnsafeTransport({ baseUrl }: Target, env: Environment): string | undefined {
  if (baseUrl === embedded || checksCertificates(env)) return undefined;
  return `${uncheckedPhrase}: others on the network could read the key and the cards. ${remedy}`;
}

/** Node reads this variable itself; the launcher suppresses Node's own warning, which this program replaces. */
function checksCertificates(env: Environment): boolean {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0";
}

const uncheckedPhrase = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates";
const remedy =
  "Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.";
