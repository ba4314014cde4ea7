import { type KeyObject, createHmac, createSecretKey } from "node:crypto";

/** An event to send, and the secrets that sign it: the newer first, while an old one still signs. */
export type SignedEvent = {
  eventId: string;
  body: string;
  secrets: readonly string[];
  nowMs: number;
  /** Of this program. */
  version: string;
};

/** The keys of the secrets that have signed: to make one takes longer than to sign. */
export type SigningKeys = Map<string, KeyObject>;

/** More than the endpoints that get webhooks at the same time. */
const maxKeys = 256;

/** The headers of a webhook (Standard Webhooks). */
export function signWebhook(
  { eventId, body, secrets, nowMs, version }: SignedEvent,
  keys: SigningKeys = new Map(),
) {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signed = `${eventId}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", findKey(keys, secret));
    return `v1,${hmac.update(signed).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "user-agent": `payments/${version}`,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

function findKey(keys: SigningKeys, secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  if (keys.size === maxKeys) keys.clear();
  const bytes = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (bytes.length === 0) throw new Error("the endpoint's secret cannot sign");
  const key = createSecretKey(bytes);
  keys.set(secret, key);
  return key;
}
