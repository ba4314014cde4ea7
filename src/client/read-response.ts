import { fastChecks } from "../contract/fast-checks.ts";
import { tryParseJson } from "../runtime/json.ts";
import { parseKeyMode } from "../contract/administration.ts";
import type { ResponseName, Route } from "../contract/route.ts";
import {
  ApiError,
  ModeMismatchError,
  type PaymentsError,
  UnexpectedAnswerError,
} from "./errors.ts";
import { parseRetryAfter } from "../runtime/time.ts";
import type { TransportAnswer } from "../runtime/http-transport.ts";

/** How an attempt ends. */
export type AttemptResult<Value = unknown> = Success<Value> | { error: PaymentsError };
export type Success<Value> = { value: Value; headers: TransportAnswer["headers"] };

/** The request of a response; `id` is that of the object that its path names. */
type Request = { apiKey: string; route: Route; id: string | undefined };

/** The value of a response that satisfies the contract and belongs to its request, or an error. */
export async function readResponse(
  request: Request,
  response: TransportAnswer,
): Promise<AttemptResult> {
  if (response.status >= 200 && response.status < 300) {
    return await readSuccess(request, response);
  }
  const error = await readError(response);
  error.retryAfterMs = parseRetryAfter(response.headers["retry-after"], Date.now());
  return { error };
}

async function readSuccess(
  { apiKey, route, id }: Request,
  { status, headers, body }: TransportAnswer,
): Promise<AttemptResult> {
  const value = tryParseJson(body);
  if (!(await isResponse(route.response, value))) {
    const what = value === undefined ? "is not JSON" : "is not one of the payments API";
    return { error: new UnexpectedAnswerError(status, `The service's response ${what}.`) };
  }
  const mode = parseKeyMode(apiKey);
  const foreign = listObjects(value).find(
    ({ livemode }) => livemode !== undefined && livemode !== (mode === "live"),
  );
  if (mode && foreign) {
    const written = route.method === "POST" ? foreign.id : undefined;
    return { error: new ModeMismatchError(mode, written) };
  }
  // A write may have changed the object of the request, this one, or none.
  const isOfId = id !== undefined && namesWithId.has(route.response);
  if (isOfId && listObjects(value).some((each) => each.id !== id)) {
    const { response } = route;
    const isNamed = response === "payment" || response === "event" || response === "request";
    const name = isNamed ? response : "webhook endpoint";
    const message = `The service's response is about another ${name} than the one asked for.`;
    return { error: new UnexpectedAnswerError(status, message) };
  }
  return { value, headers };
}

/** In each response to a request whose key was accepted. */
const versionHeader = "service-version";

/** Responses that have the id of their request. */
const namesWithId = new Set<Route["response"]>([
  "payment",
  "event",
  "endpoint",
  "deletedEndpoint",
  "request",
]);

/** Whether a value satisfies the contract; zod is loaded only where the fast check does not say so. */
async function isResponse(name: Route["response"], value: unknown): Promise<boolean> {
  if (name in fastChecks && fastChecks[name as keyof typeof fastChecks](value)) return true;
  const { responseSchemas } = await import("../contract/schemas.ts");
  if (isOfApi(name, responseSchemas)) return responseSchemas[name].safeParse(value).success;
  const { sandboxResponseSchemas } = await import("../contract/sandbox.ts");
  return sandboxResponseSchemas[name].safeParse(value).success;
}

function isOfApi(
  name: Route["response"],
  schemas: Record<ResponseName, unknown>,
): name is ResponseName {
  return name in schemas;
}

function listObjects(value: unknown): { id: string; livemode?: boolean }[] {
  const { data, livemode } = value as { data?: unknown; livemode?: boolean };
  const isList = Array.isArray(data) && livemode === undefined;
  return (isList ? data : [value]) as { id: string; livemode?: boolean }[];
}

async function readError({ status, headers, body }: TransportAnswer): Promise<PaymentsError> {
  if (status < 400) {
    const message = `The service responded with a redirect (HTTP ${status}), which is not followed.`;
    return new UnexpectedAnswerError(status, message);
  }
  const { errorEnvelope } = await import("../contract/error.ts");
  const envelope = errorEnvelope.safeParse(tryParseJson(body));
  return envelope.success
    ? new ApiError(status, envelope.data, { isLogged: versionHeader in headers })
    : new UnexpectedAnswerError(
        status,
        `Unexpected response (HTTP ${status}): not from the payments API.`,
      );
}
