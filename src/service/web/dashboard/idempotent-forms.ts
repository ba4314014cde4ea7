import { randomUUID } from "node:crypto";
import type { FastifyReply } from "fastify";
import { findIdempotencyKeyMistake } from "../../../contract/headers.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { computeFingerprint, type IdempotentRequest } from "../../idempotency/run-idempotently.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import type { Link } from "./elements.ts";
import { sendView } from "./frame.ts";
import type { Section } from "./navigation.ts";
import type { Visit } from "./visit.ts";

// A form with an idempotency key of its own runs once, even if the browser sends it twice: by two clicks, or by going back.

/** A new key for the form of a page. */
export function createFormKey(): string {
  return randomUUID();
}

export function renderKeyField(key: string): Html {
  return html`<input type="hidden" name="key" value="${key}" />`;
}

/**
 * Runs a form that makes a secret, and shows it. A secret is not stored, so a form that is sent a second time, by
 * reloading or by going back, is refused instead of replayed.
 */
export async function submitOnce(
  service: Service,
  reply: FastifyReply,
  { key, section, back }: { key: string; section: Section; back: Link },
  sendSecret: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { visit, url } = reply.request;
  const request = await toIdempotentRequest(service, visit, { key, path: url, body: {} });
  return (await service.consumeIdempotencyKey(visit.scope, request))
    ? await sendSecret()
    : sendAlreadySubmitted(reply, section, back);
}

export function sendAlreadySubmitted(
  reply: FastifyReply,
  section: Section,
  back: Link,
): FastifyReply {
  const content = html`<p class="prose">
      This form was already submitted, and nothing new was created. Its secret was shown once; if
      you did not store it, create another one.
    </p>
    <p><a href="${back.address}">${back.text}</a></p>`;
  return sendView(reply, { title: "Already submitted", section, content }, 409);
}

/** A form's request with its key. Errors: parameter_invalid. */
export async function toIdempotentRequest(
  service: Service,
  { scope }: Visit,
  { key, ...content }: { key: string; path: string; body: object },
): Promise<IdempotentRequest> {
  const principal = await service.toPrincipal(scope);
  if (!principal || findIdempotencyKeyMistake(key) !== undefined) {
    throw new ServiceError("parameter_invalid", "The form was changed after the page was sent.");
  }
  const request = { method: "POST", ...content };
  return { key, fingerprint: computeFingerprint(principal.fingerprintSecret, request) };
}
