import type { FastifyInstance, FastifyRequest } from "fastify";
import { ServiceError } from "../domain/service-error.ts";

const formType = "application/x-www-form-urlencoded";
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads every body as a form, as a browser sends it; an empty one has no fields. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addHook("onRequest", async ({ headers }) => {
    // Fastify would refuse a malformed media type even where there is no body.
    const type = headers["content-type"];
    if (type !== undefined && !isForm(type)) headers["content-type"] = "not/form";
  });
  app.addContentTypeParser(
    "*",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      if (isForm(request.headers["content-type"])) return parseFields(body);
      throw new ServiceError("unsupported_media_type", `The body must be ${formType}.`);
    },
  );
}

/**
 * The fields of a form by their names; one that was not sent is empty. Error: parameter_unknown, for a field
 * that the form does not have.
 */
export function getForm<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Record<Name, string> {
  const fields = (request.body ?? new Map()) as Map<string, string>;
  for (const name of fields.keys()) {
    if (names.some((known) => known === name)) continue;
    throw new ServiceError("parameter_unknown", "The form has a field that is not known.");
  }
  const pairs = names.map((name) => [name, fields.get(name) ?? ""]);
  return Object.fromEntries(pairs) as Record<Name, string>;
}

function isForm(type = ""): boolean {
  return type.split(";", 1)[0]?.trim().toLowerCase() === formType;
}

function parseFields(body: Buffer): Map<string, string> {
  let text: string;
  try {
    text = utf8.decode(body);
    decodeURIComponent(text); // URLSearchParams would put U+FFFD for bytes that are no text
  } catch {
    throw new ServiceError("parameter_invalid", "The form is not encoded in UTF-8.");
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw new ServiceError("parameter_invalid", "A field is repeated.");
    fields.set(name, value);
  }
  return fields;
}
