import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { isJsonObject, parseJsonExactly } from "../../runtime/text.ts";
import { ServiceError } from "../../contract/error.ts";
import { readBodies, utf8 } from "../input/forms.ts";
import { createMediaTypeError } from "./error-reply.ts";

/**
 * Reads every body in one way: an empty one is none, whatever its type; any other must be a JSON
 * object in UTF-8. Errors: unsupported_media_type, invalid_json, parameter_invalid.
 */
export function readJsonBodies(app: FastifyInstance): void {
  readBodies(app, isJson, (body, headers) => {
    if (!isPlainJson(headers)) throw createMediaTypeError();
    return parseObject(body);
  });
  app.addHook("preParsing", ({ headers }, _reply, payload, done) => {
    // The type comes before the size; a chunked body may be empty, which is known only when it is read.
    const isRefused = Number(headers["content-length"]) > 0 && !isPlainJson(headers);
    done(isRefused ? createMediaTypeError() : null, payload);
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
