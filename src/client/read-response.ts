import { findResponseName, isCertainly } from "../contract/responses.ts";
import { tryParseJson } from "../runtime/text.ts";
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
  const mode = parseKeyMode(apiKey);
  const foreign = listObjects(value).find(
    ({ livemode }) => livemode !== undefined && livemode !== (mode === "live"),
  );
  if (mode && foreign) {
    const written = endpoint.startsWith("POST ") ? foreign.id : undefined;
    return { error: new ModeMismatchError(mode, written) };
  }
  // A write may have changed the object of the request, this one, or none.
  const what = id === undefined ? undefined : ownObjects[name ?? ""];
  if (what !== undefined && listObjects(value).some((each) => each.id !== id)) {
    const message = `The service's response is about another ${what} than the one asked for.`;
    return { error: new UnexpectedAnswerError(status, message) };
  }
  return { value, headers };
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
