import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { findIdempotencyKeyMistake } from "../../../contract/headers.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { computeFingerprint, type IdempotentRequest } from "../../idempotency/run-idempotently.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import type { Visit } from "./visit.ts";

// A form that holds an idempotency key of its own is run once, however often it is sent: by two clicks, or by going back.

/** A new key for the form of a page. */
export function createFormKey(): string {
  return randomUUID();
}

export function renderKeyField(key: string): Html {
  return html`<input type="hidden" name="key" value="${key}" />`;
}

/**
 * Whether a form is sent for the first time, which uses its key up. For forms that make a secret, which is not stored,
 * and so cannot be replayed.
 */
export async function isFirstSubmission(
  service: Service,
  { visit, url }: FastifyRequest,
  key: string,
): Promise<boolean> {
  const request = await toIdempotentRequest(service, visit, { key, path: url, body: {} });
  return await service.consumeIdempotencyKey(visit.scope, request);
}

/** A form's request with its key. Errors: parameter_invalid. */
export async function toIdempotentRequest(
  service: Service,
  { scope }: Visit,
  { key, ...content }: { key: string; path: string; body: object },
): Promise<IdempotentRequest> {
  const principal = await service.toPrincipal(scope);
  if (!principal || findIdempotencyKeyMistake(key) !== undefined) {
    throw new ServiceError("parameter_invalid", "The form is not as it was shown.");
  }
  const request = { method: "POST", ...content };
  return { key, fingerprint: computeFingerprint(principal.fingerprintSecret, request) };
}
