import { isLoopback } from "../../client/loopback.ts";
import { CommandError } from "../errors/command-error.ts";
import type { Environment } from "./directories.ts";
import { embedded, type Settings } from "./resolve-settings.ts";

// On the way to a service a key must not be read by others: neither where nothing is encrypted, nor
// where nobody checks who it is encrypted for. The embedded service is sent none.

type Way = Pick<Settings, "baseUrl" | "mode">;
export type TransportFlags = { "allow-http"?: boolean | undefined };

/** Refuses a way on which others could read the key. */
export function assertSafeTransport(
  { baseUrl, mode }: Way,
  flags: TransportFlags,
  env: Environment,
): void {
  assertEncrypted(baseUrl, flags);
  if (baseUrl === embedded || mode !== "live" || checksCertificates(env)) return;
  throw new CommandError(
    "key",
    `${uncheckedPhrase}: a live key could go to anyone who answers for ${baseUrl}. Nothing was sent.`,
    wayOut,
  );
}

/** Refuses plain HTTP beyond this machine, unless that was allowed. */
export function assertEncrypted(
  baseUrl: string,
  { "allow-http": isAllowed }: TransportFlags,
): void {
  if (baseUrl === embedded || isAllowed) return;
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return;
  throw new CommandError(
    "key",
    `The key would go to ${baseUrl} without encryption, for others to read. Nothing was sent.`,
    "Use https://, or on this machine http://127.0.0.1; --allow-http sends it all the same.",
  );
}

/** What is said of a way that is not refused, and not safe. */
export function describeUnsafeTransport({ baseUrl }: Way, env: Environment): string | undefined {
  if (baseUrl === embedded || checksCertificates(env)) return undefined;
  return `${uncheckedPhrase}: anyone on the way to the service could read the key and the cards. ${wayOut}`;
}

/** As Node understands its variable, whose own warning the launcher keeps back. */
function checksCertificates(env: Environment): boolean {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0";
}

const uncheckedPhrase = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates";
const wayOut =
  "Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.";
