import { Webhook } from "standardwebhooks";

/** An event to send, and the secrets that sign it: the newer first, while an old one still signs. */
export type SignedEvent = {
  eventId: string;
  body: string;
  secrets: readonly string[];
  nowMs: number;
  /** Of this program. */
  version: string;
};

/** The headers of a webhook (Standard Webhooks). */
export function signWebhook({ eventId, body, secrets, nowMs, version }: SignedEvent) {
  const signedAt = new Date(nowMs);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, signedAt, body));
  return {
    "content-type": "application/json",
    "user-agent": `payments/${version}`,
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}
