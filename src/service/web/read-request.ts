import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ServiceError } from "../../contract/error.ts";
import { isJsonObject, parseJsonExactly } from "../../runtime/text.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads every body as a form, as a browser sends it; an empty one has no fields. */
export function readForms(app: FastifyInstance): void {
  readBodies(app, isForm, (body, headers) => {
    if (isForm(headers["content-type"])) return parseFields(body);
    throw new ServiceError("unsupported_media_type", `The body must be ${formType}.`);
  });
}

/** Parses every body of an app in one way. A body of a type that is not accepted reaches `parse`, too. */
function readBodies(
  app: FastifyInstance,
  isAccepted: (type: string) => boolean,
  parse: (body: Buffer, headers: IncomingHttpHeaders) => object,
): void {
  app.removeAllContentTypeParsers();
  app.addHook("onRequest", ({ headers }, _reply, next) => {
    // Fastify would refuse a malformed media type even where there is no body.
    const type = headers["content-type"];
    if (type !== undefined && !isAccepted(type)) headers["content-type"] = "not/accepted";
    next();
  });
  app.addContentTypeParser(
    "*",
    { parseAs: "buffer" },
    async ({ headers }: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parse(body, headers),
  );
}

const formType = "application/x-www-form-urlencoded";

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

export function createMediaTypeError(): ServiceError {
  return new ServiceError(
    "unsupported_media_type",
    "The body must be JSON in UTF-8, not compressed. Send `Content-Type: application/json`, and no `Content-Encoding`.",
  );
}

/**
 * Reads every body in one way: an empty one is none, whatever its type; any other must be a JSON
 * object in UTF-8. Errors: unsupported_media_type, invalid_json, parameter_invalid.
 */
export function readJsonBodies(app: FastifyInstance): void {
  readBodies(app, isJson, (body, headers) => {
    if (!isPlainJson(headers)) throw createMediaTypeError();
    return parseObject(body);
  });
  app.addHook("onRequest", ({ headers }, _reply, next) => {
    // The type comes before the size; a chunked body may be empty, which is known only when it is read.
    const isRefused = Number(headers["content-length"]) > 0 && !isPlainJson(headers);
    next(isRefused ? createMediaTypeError() : undefined);
  });
}

/** Whether a body is JSON as it is sent, not compressed. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  return (
    isJson(headers["content-type"]) && /^(?:identity)?$/i.test(headers["content-encoding"] ?? "")
  );
}

const maxTypeLength = 100;

/** Whether a media type is that of JSON, in UTF-8 where it says so. */
function isJson(type = ""): boolean {
  if (type === "application/json") return true;
  if (type.length > maxTypeLength) return false;
  const [essence, ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  return (
    essence === "application/json" &&
    parameters.every((part) => part === "" || /^charset\s*=\s*"?utf-?8"?$/.test(part))
  );
}

function parseObject(body: Buffer): object {
  let value: unknown;
  try {
    value = parseJsonExactly(utf8.decode(body));
  } catch {
    throw new ServiceError("invalid_json", "The body is not valid JSON in UTF-8.");
  }
  if (!isJsonObject(value)) {
    throw new ServiceError("invalid_json", "The body must be a JSON object, such as {}.");
  }
  return value;
}

// Where a request goes, and which page it comes from.

/**
 * A request's target as a path and a query. A client may also send a whole address, which means the same (RFC
 * 9112, section 3.2.2).
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target; // as nearly all do
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a target as the router reads it: without query or fragment, percent-encoding undone. */
export function parsePath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path; // the router refuses it
  }
}

/** A path as a browser sees it: behind a proxy the service may stand below another path. */
export function maskPath(publicUrl: string, path: string): string {
  const prefix = URL.canParse(publicUrl) ? new URL(publicUrl).pathname : "/";
  return `${prefix.replace(/\/$/, "")}${path}`;
}

/**
 * Whether another site made the customer's browser send this form. The page has the policy `no-referrer`, with
 * which browsers send `null` as the origin of its own forms.
 */
export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin = "null" } = headers;
  const isUnknown = headers["sec-fetch-site"] === undefined && origin === "null";
  return !isUnknown && !isSameOrigin(headers, publicUrl);
}

/**
 * Whether a page of this service made the browser send a request: by `Sec-Fetch-Site` where the browser sends
 * it, else by the origin.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return origin === URL.parse(publicUrl)?.origin || origin.replace(/^https?:\/\//, "") === host;
}
