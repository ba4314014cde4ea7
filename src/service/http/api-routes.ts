import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { decodeReason } from "../../contract/administration.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Event } from "../../contract/event.ts";
import { type Payment, payment } from "../../contract/payment.ts";
import { type Route, atBank, progressHeader, reasonHeader } from "../../contract/route.ts";
import { routes } from "../../contract/routes.ts";
import { hideDigits, maskName, validate } from "../../contract/validate.ts";
import { writeJson } from "../../runtime/text.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { getAccount } from "../accounts/manage-accounts.ts";
import { cancelPayment } from "../checkout/cancel-payment.ts";
import { createHostedPayment } from "../checkout/create-hosted-payment.ts";
import type { Listed } from "../database/listing.ts";
import { getHistory } from "../history/get-history.ts";
import { readPaymentId } from "../idempotency/idempotency-store.ts";
import {
  type IdempotentRequest,
  type Response,
  computeFingerprint,
} from "../idempotency/run-idempotently.ts";
import { createPayment } from "../payments/create-payment.ts";
import {
  findChallengeStart,
  getPayment,
  listAllDeliveries,
  listPayments,
} from "../payments/get-payment.ts";
import { withholdPage } from "../payments/payment-state.ts";
import { refundPayment } from "../payments/refund-payment.ts";
import { getReport } from "../reports/get-report.ts";
import { getRequest, listRequests } from "../requests/list-requests.ts";
import type { Service } from "../service.ts";
import { getDelivery, listDeliveries } from "../webhooks/deliveries.ts";
import { findPaymentOfEvent, getEvent, listEvents, resendEvent } from "../webhooks/event-log.ts";
import { getEndpoint, listEndpoints } from "../webhooks/find-endpoints.ts";
import { reportDelivery, startListener, takeDeliveries } from "../webhooks/listen.ts";
import {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  testEndpoint,
  updateEndpoint,
} from "../webhooks/manage-endpoints.ts";
import { recoverEndpoint } from "../webhooks/recover-endpoint.ts";
import { checkPermission, isAuthenticationOld } from "./request-guards.ts";

/**
 * The API: the use case of each route of the contract, which is given the parsed request. A route answers with a write,
 * a list or one object.
 */
export function registerApiRoutes(app: FastifyInstance, service: Service): void {
  const { write, list, one } = createRouteKinds(app, service);

  write("createPayment", (r) => createPayment(service, r.scope, r.body, r.key));
  write("createHosted", (r) => createHostedPayment(service, r.scope, r.body, r.key));
  list("listPayments", (r) => listPayments(service, r.scope, r.query));
  one("getPayment", async (r) => getPaymentWithProgress(service, r));
  one("getHistory", (r) => getHistory(service, r.scope, r.id));
  write("refundPayment", (r) => refundPayment(service, r.scope, r.id, r.key, r, r.reason));
  write("cancelPayment", (r) => cancelPayment(service, r.scope, r.id, r.key, r.actor));

  one("getAccount", (r) => getAccount(service, r.reply.request.principal));
  one("reportPayments", (r) => getReport(service, r.scope, r.query));

  list("listEvents", (r) => listEvents(service, r.scope, r.query));
  one("getEvent", (r) => getEvent(service, r.scope, r.id));
  write("resendEvent", async (r) => resendNamingPayment(service, r));

  write("createEndpoint", (r) => createEndpoint(service, r.scope, r.body, r.key, r.actor));
  list("listEndpoints", (r) => listEndpoints(service, r.scope, r.query));
  one("getEndpoint", (r) => getEndpoint(service, r.scope, r.id));
  write("updateEndpoint", (r) => updateEndpoint(service, r.scope, r, r.key, r.actor));
  write("rollEndpoint", (r) => rollEndpoint(service, r.scope, r, r.key, r.actor));
  one("deleteEndpoint", (r) => deleteEndpoint(service, r.scope, r.id, r.actor));
  list("listDeliveries", (r) => listDeliveries(service, r.scope, r.id, r.query));
  list("listAllDeliveries", (r) => listAllDeliveries(service, r.scope, r.query));
  one("getDelivery", (r) => getDelivery(service, r.scope, r));
  write("recoverEndpoint", (r) => recoverEndpoint(service, r.scope, r, r.key, r.actor));
  write("testEndpoint", (r) => testEndpoint(service, r.scope, r.id, r.key, r.actor));

  list("listRequests", (r) => listRequests(service, r.scope, r.query));
  one("getRequest", (r) => getRequest(service, r.scope, r.id));

  // Of `payments listen`. A listener that has disconnected leases no delivery, so that another one can.
  one("startListener", (r) => startListener(service, r.scope, r, createGoneSignal(r.reply)));
  list("takeDeliveries", async (r) => takeLeased(service, r));
  one("reportDelivery", (r) => reportDelivery(service, r.scope, r));
}

/** A payment, and in a header whether its customer is at the bank. */
async function getPaymentWithProgress(
  service: Service,
  { scope, id, reply }: ApiRequest<"getPayment">,
) {
  const found = await getPayment(service, scope, id);
  const sinceMs = await findChallengeStart(service, scope, found);
  if (sinceMs !== null) reply.header(progressHeader, atBank);
  return found;
}

/** Queues an event again; the log of requests names its payment, also where that is refused. */
async function resendNamingPayment(service: Service, request: ApiRequest<"resendEvent">) {
  const { scope, id, key, actor, reply } = request;
  reply.request.paymentId = await findPaymentOfEvent(service, scope, id);
  return await resendEvent(service, scope, request, key, actor);
}

async function takeLeased(service: Service, { reply, ...request }: ApiRequest<"takeDeliveries">) {
  const items = await takeDeliveries(service, request.scope, request, {
    gone: createGoneSignal(reply),
    checkKey: async () => authenticateAgain(service, reply.request),
  });
  reply.request.wroteNothing = items.length === 0;
  return { items, hasMore: false };
}

/** Of a request that has taken long: its key may have been revoked meanwhile. */
async function authenticateAgain(service: Service, request: FastifyRequest): Promise<void> {
  request.principal = await authenticate(service, request.headers.authorization);
  checkPermission(request);
}

/** Aborted when the client has gone. */
function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

type RouteName = keyof typeof routes;

/**
 * A request's account and actor, the limit of its key, its ids, query and body as the route's schemas parse them, its
 * idempotency key, and the reason that it gives.
 */
type ApiRequest<Name extends RouteName> = Pick<Principal, "scope" | "actor" | "maxRefund"> & {
  id: (typeof routes)[Name]["path"] extends `${string}/:id${string}` ? string : undefined;
  delivery: (typeof routes)[Name]["path"] extends `${string}/:delivery` ? string : undefined;
  query: Output<(typeof routes)[Name], "query">;
  body: Output<(typeof routes)[Name], "body">;
  key: IdempotentRequest | undefined;
  reason: string | undefined;
  reply: FastifyReply;
};

type Output<R, Part extends "body" | "query"> = R extends {
  [key in Part]: infer S extends z.ZodType;
}
  ? z.output<S>
  : Record<string, never>;

type Work<Name extends RouteName, Result> = (request: ApiRequest<Name>) => Promise<Result>;

/** The kinds of routes: each registers a route of the contract with the work that it does. */
function createRouteKinds(app: FastifyInstance, service: Service) {
  const on = <Name extends RouteName>(
    name: Name,
    answer: (request: ApiRequest<Name>) => Promise<FastifyReply>,
  ) => {
    const { method, path: url, permission } = routes[name];
    const answerAuthenticated = async (request: FastifyRequest, reply: FastifyReply) => {
      await authenticateAgain(service, request);
      return await answer(parseRequest(name, request, reply));
    };
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      method === "POST" && isAuthenticationOld(request)
        ? answerAuthenticated(request, reply)
        : answer(parseRequest(name, request, reply));
    app.route({ method, url, handler, config: { permission } });
  };
  return {
    /** Runs once for each idempotency key. */
    write: <Name extends RouteName>(name: Name, work: Work<Name, Response>) => {
      const { response: schema }: Route = routes[name];
      on(name, async (request) => {
        const { reply } = request;
        request.key = toIdempotentRequest(reply.request);
        const response = await work(request);
        if (schema === payment) reply.request.paymentId = readPaymentId(response);
        return sendStored(reply, response);
      });
    },
    list: <Name extends RouteName>(name: Name, work: Work<Name, Listed<string | object>>) =>
      on(name, async (request) => {
        const { path } = routes[name];
        const url = request.id === undefined ? path : path.replace(":id", request.id);
        const { items, hasMore } = await work(request);
        return sendList(request.reply, url, { items: show(items, request.reply), hasMore });
      }),
    one: <Name extends RouteName>(name: Name, work: Work<Name, string | object>) =>
      on(name, async (request) => {
        const [found = ""] = show([await work(request)], request.reply);
        return sendJson(request.reply, routes[name].status, toJson(found));
      }),
  };
}

/**
 * What a request has read, as its key may see it: one that may not create payments, nor pay or cancel them, does not get
 * the address of a payment's page. What a listener takes stays as it was signed.
 */
function show(items: (string | object)[], { request }: FastifyReply): (string | object)[] {
  const isWhole = request.method === "POST" || request.principal.permissions.includes("create");
  if (isWhole) return items;
  return items.map((item) => (typeof item === "string" ? withholdPageOf(item) : item));
}

/** `json`: a payment, or an event of one. */
function withholdPageOf(json: string): string {
  const value = JSON.parse(json) as Payment | Event;
  return writeJson(
    value.object === "payment"
      ? withholdPage(value)
      : { ...value, data: { object: withholdPage(value.data.object) } },
  );
}

const noFields = z.strictObject({});

/**
 * Parses a request by the schemas of its route. Errors: parameter_missing, parameter_unknown,
 * parameter_invalid, naming the first field at fault in bracket form.
 */
function parseRequest<Name extends RouteName>(
  name: Name,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiRequest<Name> {
  const schemas: Route = routes[name];
  const { scope, actor, maxRefund } = request.principal;
  const { id, delivery } = request.params as { id?: string; delivery?: string };
  const sent = parseQuery(request.url);
  const query = sent || schemas.query ? validate(schemas.query ?? noFields, sent ?? {}) : {};
  const body = schemas.body ? validate(schemas.body, request.body ?? {}) : {};
  const sentReason = request.headers[reasonHeader];
  const reason = sentReason === undefined ? undefined : decodeReason(String(sentReason));
  const sentParts = { id, delivery, query, body, key: undefined, reason, reply };
  return { scope, actor, maxRefund, ...sentParts } as ApiRequest<Name>;
}

/** A repeated parameter is refused: one of the two would be ignored. */
function parseQuery(url: string): Record<string, string> | undefined {
  const at = url.indexOf("?");
  if (at === -1) return undefined;
  const params = new URLSearchParams(url.slice(at + 1));
  const query = Object.fromEntries(params);
  if (Object.keys(query).length === params.size) return query;
  const names = [...params.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index) ?? "";
  const param = maskName(hideDigits(repeated));
  throw new ServiceError(
    "parameter_invalid",
    `${param} must not be repeated. Send it once.`,
    param,
  );
}

/** The idempotency key of a request, if it has one, with the request's fingerprint. */
function toIdempotentRequest(request: FastifyRequest): IdempotentRequest | undefined {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  const path = request.url.split("?", 1)[0] ?? "";
  const { method, body } = request;
  return {
    key,
    fingerprint: computeFingerprint(request.principal.fingerprintSecret, { method, path, body }),
  };
}

/** Sends the response to a write, byte for byte as it was made or stored. */
function sendStored(reply: FastifyReply, response: Response): FastifyReply {
  if (response.replayed) reply.header("idempotent-replayed", "true");
  return sendJson(reply, response.status, response.body);
}

export function sendJson(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(body);
}

const pieceLength = 32 * 1024;
/** A larger response leaves in pieces. */
const maxWholeBytes = 128 * 1024;
/** Of a unit of a string's length in UTF-8. */
const maxUnitBytes = 3;

/** Sends a page of a list. */
function sendList(
  reply: FastifyReply,
  url: string,
  { items, hasMore }: Listed<string | object>,
): FastifyReply {
  return sendParts(reply, [
    `{"object":"list","url":"${url}","data":[`,
    ...items.map((item, index) => (index === 0 ? toJson(item) : `,${toJson(item)}`)),
    `],"has_more":${hasMore}}`,
  ]);
}

/** A text is JSON already, as it was stored. */
function toJson(value: string | object): string {
  return typeof value === "string" ? value : writeJson(value);
}

/** Sends JSON in parts; a large one in pieces, so that no copy of the whole is made. */
function sendParts(reply: FastifyReply, parts: string[]): FastifyReply {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length * maxUnitBytes <= maxWholeBytes) return sendJson(reply, 200, parts.join(""));
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  if (bytes <= maxWholeBytes) return sendJson(reply, 200, parts.join(""));
  return reply
    .code(200)
    .header("content-type", "application/json; charset=utf-8")
    .header("content-length", bytes)
    .send(Readable.from(joinPieces(parts)));
}

function* joinPieces(parts: string[]): Generator<string> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece) yield piece;
}
