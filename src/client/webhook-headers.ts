import { Webhook } from "standardwebhooks";

/** What is sent of an event, and by which secrets it is signed: while an old one still signs, the newer first. */
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
