import { onTestFinished } from "vitest";
import type { Webhook, WebhookSender } from "../../../src/service/webhooks/webhook-sender.ts";
import {
  createWebhookSender,
  type SenderSettings,
} from "../../../src/service/webhooks/send-webhooks.ts";
import { newSecret } from "../new-secret.ts";
import { eventWith } from "../event-with.ts";

/** The sender of a service that sends no tests of endpoints: every endpoint is down. */
export const deadSender: Pick<WebhookSender, "send"> = {
  send: async () => ({
    outcome: "failed",
    status: null,
    error: "the connection was refused",
    answer: null,
  }),
};

/** Creates a sender for one test, which by default may reach this machine. */
export function senderForTest(settings: Partial<SenderSettings> = {}): WebhookSender {
  const sender = createWebhookSender({ allowPrivate: true, version: "1.2.3", ...settings });
  onTestFinished(async () => sender.close());
  return sender;
}

export function webhookTo(url: string, fields: Partial<Webhook> = {}): Webhook {
  const event = eventWith();
  return {
    url,
    allowHttp: true,
    secrets: [newSecret()],
    eventId: event.id,
    body: JSON.stringify(event),
    nowMs: Date.now(),
    ...fields,
  };
}
