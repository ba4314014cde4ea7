import { checksCertificates, isConfidential } from "../../runtime/transport-safety.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import type { Environment } from "./blank-settings.ts";
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
  if (isConfidential(baseUrl)) return;
  throw new CommandError(
    "key",
    `The key would go to ${baseUrl} without encryption, so others could read it. Nothing was sent.`,
    "Use https://, or on this machine http://127.0.0.1; --allow-http sends it anyway.",
  );
}

/** Refuses to forward live events, which have customers' data, where others could read them. */
export function assertSafeForwarding(
  url: URL | undefined,
  { mode }: Pick<Target, "mode">,
  { "allow-http": isAllowed }: TransportFlags,
  env: Environment,
): void {
  const isLive = mode === "live";
  if (!url || !isLive) return;
  if (!isConfidential(url) && !isAllowed) {
    throw usageError(
      "--forward-to would send live events over plain HTTP to another machine, so others could read them. Nothing was sent.",
      "Use https://, or a program on this machine, such as http://127.0.0.1:3000; --allow-http sends them anyway.",
    );
  }
  if (url.protocol !== "https:" || checksCertificates(env)) return;
  throw new CommandError(
    "key",
    `${uncheckedPhrase}: live events could go to anyone who answers for ${url.host}. Nothing was sent.`,
    remedy,
  );
}

/** The warning about a transport that is allowed, but not safe. */
export function describeUnsafeTransport({ baseUrl }: Target, env: Environment): string | undefined {
  if (baseUrl === embedded || checksCertificates(env)) return undefined;
  return `${uncheckedPhrase}: others on the network could read the key and the cards. ${remedy}`;
}

// The launcher suppresses Node's own warning, which this one replaces.
const uncheckedPhrase = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates";
const remedy =
  "Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.";
