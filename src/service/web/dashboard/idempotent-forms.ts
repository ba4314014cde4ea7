import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { findIdempotencyKeyMistake } from "../../../contract/headers.ts";
import { computeFingerprint, type IdempotentRequest } from "../../idempotency/run-idempotently.ts";
import { ServiceError } from "../../domain/service-error.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "./html.ts";
import type { Visit } from "./visit.ts";

// A form that holds a key of its own is answered once, however often it is sent: by two clicks, or by going back.

/** The key of a form that is shown now. */
export function createFormKey(): string {
  return randomUUID();
}

export function renderKeyField(key: string): Html {
  return html`<input type="hidden" name="key" value="${key}" />`;
}

/**
 * Whether a form is sent for the first time, which uses it up: for what makes a secret, which is not kept, and so
 * cannot be answered again.
 */
export async function isFirstSubmission(
  service: Service,
  { visit, url }: FastifyRequest,
  key: string,
): Promise<boolean> {
  const asked = { key, path: url, body: {} };
  return await service.consumeIdempotencyKey(
    visit.scope,
    await toIdempotentRequest(service, visit, asked),
  );
}

/** A form's request by its key. Errors: parameter_invalid. */
export async function toIdempotentRequest(
  service: Service,
  { scope }: Visit,
  { key, path, body }: { key: string; path: string; body: object },
): Promise<IdempotentRequest> {
  const principal = await service.toPrincipal(scope);
  if (!principal || findIdempotencyKeyMistake(key) !== undefined) {
    throw new ServiceError("parameter_invalid", "The form is not as it was shown.");
  }
  const asked = { method: "POST", path, body };
  return { key, fingerprint: computeFingerprint(principal.fingerprintSecret, asked) };
}
