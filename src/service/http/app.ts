import type { RequestListener, Server } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Service } from "../use-cases/service.ts";
import { ServiceError } from "../domain/service-error.ts";
import { handleBrokenRequests, createRequestId, refuseTunnels } from "./broken-requests.ts";
import { toErrorReply, toServiceError } from "./error-reply.ts";
import { readJsonBodies } from "./json-body.ts";
import { admit, checkHost, type Guard, type GuardSetup } from "./admit.ts";
import { type Log, toMaskedError } from "./log.ts";
import { createServerInTurn } from "./server-in-turn.ts";
import { endpoints, toRouteError, operationsEndpoints, type Endpoint } from "./no-such-route.ts";
import type { Shedding } from "./overload.ts";
import type { Pages } from "./pages.ts";
import { logWhenDone, type RequestObserver } from "./request-log.ts";
import { registerApiRoutes } from "./routes/api.ts";
import { registerDocumentationRoutes } from "./routes/documentation.ts";
import { registerOperationsRoutes, type Operations } from "./routes/operations.ts";
import { toOriginForm } from "./target.ts";

export type AppOptions = {
  /** Where the errors are documented: the `doc_url` of each leads there. */
  docsUrl: () => string;
  /** How customers reach the payment pages, without a slash at the end; empty where nobody can. */
  publicUrl?: () => string;
  /** What people read in a browser: payment pages, and the dashboard where it is shown. */
  pages?: readonly Pages[];
  log?: Log;
  /** Answers go to whoever runs the service: they say why the store refuses. */
  toOwner?: boolean;
  /** Told of what was thrown, before the request is answered with what it means. */
  failed?: (error: unknown, requestId: string) => void;
  /** What those who watch over a service may ask; nobody watches over the one inside a command. */
  operations?: Operations;
  /** Told of every request when it is over. */
  observe?: RequestObserver;
  /** Refuses what there is no room for. */
  shed?: Shedding;
  /** Refuses what a key may not send yet. */
  limitRate?: GuardSetup;
  timeLimits?: Partial<TimeLimits>;
};

/**
 * How long the headers of a request may take to arrive, how long all of it, and how long nothing of an
 * answer may leave.
 */
export type TimeLimits = { headersMs: number; requestMs: number; stalledMs: number };

const bodyLimitBytes = 64 * 1024;
export const usualTimeLimits: TimeLimits = {
  headersMs: 5_000,
  requestMs: 15_000,
  stalledMs: 15_000,
};
/** Longer than proxies keep a connection that rests: else one would send a request as it is closed. */
const keepAliveMs = 72_000;

/** The service over HTTP, not listening yet: the terminal's embedded service calls it in process. */
export function createApp(service: Service, options: AppOptions): FastifyInstance {
  const { operations, pages = [] } = options;
  return guarded(options, {
    endpoints: operations ? [...endpoints, ...operationsEndpoints] : endpoints,
    admit: (request, reply, guards) => admit(service, request, reply, guards),
    pages,
    register: (app) => {
      void app.register(async (api) => {
        readJsonBodies(api);
        registerDocumentationRoutes(api);
        if (operations) registerOperationsRoutes(api, operations);
        registerApiRoutes(api, service);
      });
    },
  });
}

/** What watches over a service may ask, for a port of its own: nothing else is there, and no key is needed. */
export function createOperationsApp(
  operations: Operations,
  options: Pick<AppOptions, "docsUrl" | "log" | "observe" | "timeLimits">,
): FastifyInstance {
  return guarded(options, {
    endpoints: operationsEndpoints,
    admit: async () => {},
    pages: [],
    register: (app) => registerOperationsRoutes(app, operations),
  });
}

/** What stands behind the guards that every request passes. */
type Guarded = {
  endpoints: readonly Endpoint[];
  /** Learns who makes a request, whom `guards` then let pass. */
  admit: (request: FastifyRequest, reply: FastifyReply, guards: Guard[]) => Promise<void>;
  pages: readonly Pages[];
  register: (app: FastifyInstance) => void;
};

function guarded(
  {
    docsUrl,
    publicUrl = () => "",
    log,
    toOwner,
    failed,
    observe,
    ...rest
  }: Omit<AppOptions, "pages">,
  { endpoints: known, admit: admitted, pages, register }: Guarded,
): FastifyInstance {
  const { timeLimits, ...guards } = rest;
  const limits = { ...usualTimeLimits, ...timeLimits };
  const pagesAt = (url: string) => pages.find(({ has }) => has(url));
  // Set up by the app, and asked for every request.
  let shed: Guard | undefined;
  let guardsOfKnown: Guard[] = [];

  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    serverFactory: (handle) => serverFor(handle, limits, docsUrl),
    clientErrorHandler: () => {}, // every server has its own, also the second one of `localhost`
    routerOptions: { maxParamLength: 16 * 1024 }, // a longer header block is refused before
    exposeHeadRoutes: true, // the same handler, whose body is left out
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    return503OnClosing: false, // what is in flight at a shutdown is finished
    genReqId: createRequestId,
    rewriteUrl: (request) => toOriginForm(request.url ?? "/"),
    frameworkErrors: (error, request, reply) => {
      void greet(request, reply).then(
        () => fail(error, request, reply),
        (reason: unknown) => fail(reason, request, reply),
      );
    },
  });

  async function greet(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    logWhenDone(request, reply, { log, observe });
    reply.header("service-request-id", request.id);
    reply.headers(pagesAt(request.url)?.headers(publicUrl()) ?? {});
    const shedding = shed?.(request, reply);
    if (shedding) await shedding;
    checkHost(request);
    await admitted(request, reply, guardsOfKnown);
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    failed?.(error, request.id);
    const failure = error === request.raw.errored ? brokenOff() : toServiceError(error, toOwner);
    const isTrouble = failure.code === "internal_error" || failure.code === "service_unavailable";
    if (isTrouble && !request.isShed) {
      log?.error({ request_id: request.id, err: toMaskedError(error) }, failure.code);
    }
    const shown = pagesAt(request.url);
    if (shown) {
      void shown.sendFailure(reply, failure);
      return;
    }
    const context = { requestId: request.id, docsUrl: docsUrl() };
    const { status, headers, body } = toErrorReply(failure, context);
    void reply.code(status).headers(headers).send(body);
  }

  const shedding = guards.shed?.(app);
  shed = shedding?.first;
  guardsOfKnown = [guards.limitRate?.(app), shedding?.known].filter((guard) => guard !== undefined);
  app.decorateRequest("principal");
  app.decorateRequest("logged");
  app.addHook("onRequest", async (request, reply) => {
    await greet(request, reply);
    if (!request.is404) return;
    const all = [...known, ...pages.flatMap(({ endpoints: theirs }) => theirs)];
    throw toRouteError(request, reply, all); // before its body is looked at
  });
  app.setErrorHandler(fail);
  register(app);
  // The API and pages are read in different ways, so each is a plugin of its own.
  for (const each of pages) void app.register(async (plugin) => each.register(plugin));
  return app;
}

/** The contract checks what comes and goes: the validator that Fastify would load has nothing to do. */
function noSchemas(): never {
  throw new Error("A route has a schema of Fastify's, which nothing checks.");
}

/** What Node would answer or do by itself lacks the envelope or a limit: that is done here. */
function serverFor(handle: RequestListener, limits: TimeLimits, docsUrl: () => string): Server {
  const { server, isOwed } = createServerInTurn(handle, {
    stalledMs: limits.stalledMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: 500,
    keepAliveTimeout: keepAliveMs,
    requireHostHeader: false, // see checkHost
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", handleBrokenRequests(docsUrl, isOwed));
  refuseTunnels(server, docsUrl);
  return server;
}

/** The request's connection ended, or its time was up, before all of its body had arrived. */
function brokenOff(): ServiceError {
  return new ServiceError("malformed_request", "The request ended before all of it had arrived.");
}
