import {
  ApiError,
  PaymentsError,
  UnexpectedAnswerError,
  hasNoResponse,
} from "../../client/errors.ts";
import { type PageQuery, listPages } from "../../client/list-pages.ts";
import { type AttemptResult, readAnyResponse } from "../../client/read-response.ts";
import { type Connection, sendWithRetries, toHeaders } from "../../client/request.ts";
import type { ListPart } from "../../contract/list.ts";
import { mask } from "../../contract/mask.ts";
import type { TransportAnswer } from "../../runtime/http-transport.ts";
import { isJsonObject } from "../../runtime/text.ts";
import { parseRetryAfter } from "../../runtime/time.ts";
import type { ApiRequest } from "../flags/api-request.ts";
import { usageError } from "../output/command-error.ts";

/** A successful response, as it came. `value` is its JSON, undefined where it has no body. */
export type RawResponse = {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  value: unknown;
};

type Head = Pick<TransportAnswer, "status" | "headers">;
type Options = {
  idempotencyKey: string | undefined;
  signal: AbortSignal | undefined;
  /** Called with the status and the headers of the last response, if it is an error. */
  onRefused?: ((head: Head) => Promise<void>) | undefined;
};

/** A request that changes something, so that it must not be sent twice without its key. */
export function isWrite({ method }: Pick<ApiRequest, "method">): boolean {
  return method !== "GET" && method !== "HEAD";
}

/**
 * Whether an idempotency key makes the request safe to repeat: a DELETE is so by itself, and the control of a sandbox
 * and of a listener knows none.
 */
export function takesKey({ method, path }: ApiRequest): boolean {
  const ignoresKey = /^\/v1\/webhook_endpoints\/[^/]+\/(?:start|take|report)(?:\?|$)/.test(path);
  return isWrite({ method }) && method !== "DELETE" && path.startsWith("/v1/") && !ignoresKey;
}

/**
 * Sends a request of any kind to the service of the connection, and to no other place. Errors: usage for a path or a
 * header that could lead elsewhere or carry a secret, before anything is sent; and those of every call.
 */
export async function sendRaw(
  connection: Connection,
  request: ApiRequest,
  { idempotencyKey, signal, onRefused }: Options,
): Promise<RawResponse> {
  assertSafe(request);
  const { method, path, headers, body } = request;
  const prepared = {
    method,
    path,
    headers: {
      ...toHeaders(connection, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) }),
      ...joinHeaders(headers),
    },
    ...(body !== undefined && { body }),
    timeoutMs: connection.timeoutMs,
    keepsBytes: true,
  };
  let answer: TransportAnswer | undefined;
  const read = async (response: TransportAnswer): Promise<AttemptResult> => {
    answer = response;
    if (method === "HEAD" && response.status >= 400) return { error: toHeadError(response) };
    return await readAnyResponse(
      { apiKey: connection.apiKey, isWrite: isWrite(request) },
      response,
    );
  };
  // What the control of a sandbox has done must not be done twice: a lost response is the user's to see.
  const isOnce = isWrite(request) && method !== "DELETE" && idempotencyKey === undefined;
  const { value } = await sendWithRetries(
    isOnce ? { ...connection, maxRetries: 0 } : connection,
    prepared,
    read,
    { signal, idempotencyKey },
  ).catch(async (error: unknown) => {
    if (answer && error instanceof PaymentsError && !hasNoResponse(error))
      await onRefused?.(answer);
    throw error;
  });
  const {
    status = 0,
    headers: received = {},
    body: text = "",
    bytes = Buffer.from(text),
  } = answer ?? {};
  return { status, headers: received, body: bytes, value };
}

/** The response to a HEAD has no body that would say what is wrong. */
function toHeadError({ status, headers }: TransportAnswer): ApiError {
  const error = {
    type: "api_error",
    code: `http_${status}`,
    message: `The service responded to HEAD with ${status}. A GET says why.`,
    param: null,
    decline_code: null,
    doc_url: "",
    request_id: headers["service-request-id"] ?? "",
  };
  const failure = new ApiError(status, { error });
  failure.retryAfterMs = parseRetryAfter(headers["retry-after"], Date.now());
  return failure;
}

type Item = { id: string };

/**
 * Page after page of the list at a GET's path, up to `total` items. Errors: usage where there is no list; and those of
 * every call.
 */
export function sendForPages(
  connection: Connection,
  request: ApiRequest,
  total: number | undefined,
): AsyncGenerator<ListPart<Item>> {
  assertList(request);
  const { pathname, query } = splitPath(request.path);
  return listPages(
    query,
    async (next) => {
      const search = new URLSearchParams(next as Record<string, string>).toString();
      const path = `${pathname}?${search}`;
      const options = { idempotencyKey: undefined, signal: undefined };
      return toPage((await sendRaw(connection, { ...request, path }, options)).value);
    },
    total,
  );
}

/** Errors: usage for a request that is sent once, and not page after page. */
export function assertList({ method }: Pick<ApiRequest, "method">): void {
  if (method !== "GET") throw usageError("--all and --limit page through the list of a GET.");
}

/** The query that a path has, for pages: each of its parameters once. */
export function splitPath(path: string): { pathname: string; query: PageQuery } {
  const at = path.indexOf("?");
  if (at === -1) return { pathname: path, query: {} };
  const given = new URLSearchParams(path.slice(at));
  if (new Set(given.keys()).size < given.size) {
    throw usageError(
      "A parameter of a list is named twice, and only one would count. Nothing was sent.",
      "Leave one of them out, or --all and --limit.",
    );
  }
  const { limit, ...query } = Object.fromEntries(given);
  const pageSize = limit === undefined ? {} : { limit: Number(limit) };
  return { pathname: path.slice(0, at), query: { ...query, ...pageSize } };
}

function toPage(value: unknown): ListPart<Item> {
  const page = isJsonObject(value) ? value : {};
  const { has_more: hasMore = false, data } = page;
  if (!Array.isArray(data)) {
    throw usageError("The response is not a list.", "Leave out --all and --limit, and -o ndjson.");
  }
  const last: unknown = data.at(-1);
  if (hasMore === true && !(isJsonObject(last) && typeof last["id"] === "string")) {
    throw new UnexpectedAnswerError(200, "The service's list goes on, and its items have no id.");
  }
  return { ...page, has_more: hasMore } as ListPart<Item>;
}

/** What says how a request is sent and read, and whose it is. */
const reservedHeader =
  /^(?:(?:proxy-)?authorization|host|cookie|content-.*|accept-encoding|transfer-encoding|connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|idempotency-key|service-version)$/;

export function joinHeaders(headers: ApiRequest["headers"]): Record<string, string> {
  const byName = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.map(([, value]) => value).join(", ")]),
  );
}

/** Refuses what would lead to another place than the path says, and what proxies would log. Repeats nothing of it. */
export function assertSafe({ path, headers }: Pick<ApiRequest, "path" | "headers">): void {
  const mistake = findPathMistake(path);
  if (mistake !== undefined) throw usageError(`<path> ${mistake}. Nothing was sent.`, pathHint);
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value)) {
      throw usageError("--header must be a name and a value in ASCII. Nothing was sent.");
    }
    if (reservedHeader.test(name)) {
      throw usageError(
        `--header cannot set ${name}: the command sets what says whose the request is and how it is sent. Nothing was sent.`,
        "There are flags for the key (--api-key-file), --idempotency-key, --service-version and --data.",
      );
    }
  }
}

const pathHint = "For example /v1/payments?limit=3; payments help api has more.";

function findPathMistake(path: string): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/[\\/])/i.test(path)) {
    return "must be without a host: the key goes to the command's own service alone";
  }
  if (!/^\/(?:v1|sandbox)\//.test(path)) return "must begin with /v1/ or /sandbox/";
  const [pathname = "", ...query] = path.split("?");
  if (!/^[\w.~$&'()*+,;=:@/-]+$/.test(pathname)) {
    return "must have letters, digits and / alone before its query: no id of the API has others, and what is encoded may be read as another path on the way";
  }
  if (pathname.split("/").some((part) => /^\.+$/.test(part))) return "must not lead up with ..";
  if (!/^[\x21\x22\x24-\x7e]*$/.test(query.join("?"))) {
    return "must have a query as in a URL: spaces and other signs encoded, and no #";
  }
  const texts = [path, ...new URLSearchParams(query.join("?"))].flat();
  if (texts.some((text) => mask(text) !== text)) {
    return "has a key or a card number in it: as part of a URL it would be logged on the way";
  }
  return undefined;
}
