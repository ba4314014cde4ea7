import { findResponseName, isCertainly } from "../contract/responses.ts";
import { isJsonObject, tryParseJson } from "../runtime/text.ts";
import { parseKeyMode } from "../contract/administration.ts";
import type { Route } from "../contract/route.ts";
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
type Request = { apiKey: string; endpoint: string; id: string | undefined };

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
  { apiKey, endpoint, id }: Request,
  { status, headers, body }: TransportAnswer,
): Promise<AttemptResult> {
  const value = tryParseJson(body);
  const name = findResponseName(endpoint);
  if (!(name !== undefined && isCertainly(name, value)) && !(await isResponse(endpoint, value))) {
    const what = value === undefined ? "is not JSON" : "is not one of the payments API";
    return { error: new UnexpectedAnswerError(status, `The service's response ${what}.`) };
  }
  const mismatch = findModeMismatch(apiKey, value, { isWrite: endpoint.startsWith("POST ") });
  if (mismatch) return { error: mismatch };
  // A write may have changed the object of the request, this one, or none.
  const what = id === undefined ? undefined : ownObjects[name ?? ""];
  if (what !== undefined && listObjects(value).some((each) => each.id !== id)) {
    const message = `The service's response is about another ${what} than the one asked for.`;
    return { error: new UnexpectedAnswerError(status, message) };
  }
  return { value, headers };
}

/**
 * The value of the response to a request for which there is no contract, undefined where it has no body; or an error. It
 * is JSON, and of the key's mode.
 */
export async function readAnyResponse(
  { apiKey, isWrite }: { apiKey: string; isWrite: boolean },
  response: TransportAnswer,
): Promise<AttemptResult> {
  const { status, headers, body } = response;
  if (status < 200 || status >= 300) {
    return await readResponse({ apiKey, endpoint: "", id: undefined }, response);
  }
  if (body === "") return { value: undefined, headers };
  const value = tryParseJson(body);
  if (value === undefined) {
    return { error: new UnexpectedAnswerError(status, "The service's response is not JSON.") };
  }
  const mismatch = findModeMismatch(apiKey, value, { isWrite });
  return mismatch ? { error: mismatch } : { value, headers };
}

function findModeMismatch(
  apiKey: string,
  value: unknown,
  { isWrite }: { isWrite: boolean },
): ModeMismatchError | undefined {
  const mode = parseKeyMode(apiKey);
  const foreign = listObjects(value).find(
    ({ livemode }) => livemode !== undefined && livemode !== (mode === "live"),
  );
  return mode && foreign
    ? new ModeMismatchError(mode, isWrite ? foreign.id : undefined)
    : undefined;
}

/** In each response to a request whose key was accepted. */
const versionHeader = "service-version";

/** The responses that have the id of their request, and what they are about. */
const ownObjects: Record<string, string> = {
  Payment: "payment",
  Event: "event",
  WebhookEndpoint: "webhook endpoint",
  DeletedWebhookEndpoint: "webhook endpoint",
  Request: "request",
};

/** Whether a value satisfies the contract. Loads zod, so only for what does not do so for certain. */
async function isResponse(endpoint: string, value: unknown): Promise<boolean> {
  const { routes } = await import("../contract/routes.ts");
  const route =
    Object.values<Route>(routes).find((each) => each.endpoint === endpoint) ??
    (await findSandboxRoute(endpoint));
  return route !== undefined && route.response.safeParse(value).success;
}

async function findSandboxRoute(endpoint: string): Promise<Route | undefined> {
  const { sandboxRoutes } = await import("../contract/sandbox.ts");
  return Object.values<Route>(sandboxRoutes).find((each) => each.endpoint === endpoint);
}

function listObjects(value: unknown): { id: string; livemode?: boolean }[] {
  if (!isJsonObject(value)) return [];
  const { data, livemode } = value;
  const isList = Array.isArray(data) && livemode === undefined;
  return (isList ? data.filter(isJsonObject) : [value]) as { id: string; livemode?: boolean }[];
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
