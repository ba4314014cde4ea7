import { maxAnswerBytes } from "../../contract/field-values.ts";
import { mask } from "../../contract/mask.ts";
import type { Scope } from "../database/scope.ts";
import { type Endpoint, listActiveSecrets } from "./endpoint-state.ts";
import type { Webhook, WebhooksService } from "./webhooks-service.ts";

/** The request that takes an event to an endpoint. */
export function buildWebhook(
  { webhooks }: WebhooksService,
  { livemode }: Scope,
  endpoint: Endpoint & { url: string },
  { id, body, nowMs }: { id: string; body: string; nowMs: number },
): Webhook {
  return {
    url: endpoint.url,
    secrets: listActiveSecrets(endpoint, nowMs),
    eventId: id,
    body,
    nowMs,
    allowHttp: !livemode || webhooks.allowsPrivate,
  };
}

/** More than the digits of a card and what may stand between them. */
const lookaheadBytes = 64;

/** How much of an answer has to be read, so that a card number which its end cuts is seen. */
export const readAnswerBytes = maxAnswerBytes + lookaheadBytes;

/**
 * The beginning of an answer to a webhook, as it is stored: text, in which what is not UTF-8 is replaced, without keys
 * and card numbers. `bytes` has as much as was read.
 */
export function toAnswerText(bytes: Uint8Array): string {
  const text = decode(bytes.subarray(0, readAnswerBytes));
  const masked = mask(text);
  if (bytes.length <= maxAnswerBytes) return masked;
  if (masked === text) return decode(bytes.subarray(0, maxAnswerBytes));
  // Masked, it is shorter, and a number at the end may be the beginning of a card's.
  return [...masked].slice(0, -lookaheadBytes).join("").slice(0, maxAnswerBytes);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
