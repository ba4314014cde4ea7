import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ServiceError } from "../../contract/error.ts";
import type { Service } from "../service.ts";
import {
  createRequestId,
  readOnBeforeClosing,
  toErrorReply,
  toServiceError,
} from "./broken-requests.ts";
import { createHttpServer, type TimeLimits } from "./http-server.ts";
import { parsePath, readJsonBodies, toOriginForm } from "../web/read-request.ts";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";
import { type RequestObserver, logClosed, toStoredRequest } from "./request-log.ts";
import type { Pages } from "../web/design/pages.ts";
import { authenticateRequest, checkHost, type Guard } from "./request-guards.ts";
import { registerApiRoutes } from "./api-routes.ts";
import {
  type Operations,
  operationsPaths,
  registerDocumentationRoutes,
  registerOperationsRoutes,
} from "./keyless-routes.ts";
import type { LoadShedding } from "./shed-load.ts";

export type AppOptions = {
  /** The page that documents the errors: the `doc_url` of each leads there. */
  docsUrl: () => string;
  /** The address at which customers reach the payment pages, without a slash at the end; empty if there is none. */
  publicUrl?: () => string;
  /** The payment pages, and the dashboard if there is one. */
  pages?: readonly Pages[];
  log?: Log;
  /** Responses go to the operator of the service: errors of the store are shown in full, and nothing is documented. */
  forOperator?: boolean;
  /** Called with each error before the request is answered. */
  onError?: (error: unknown, requestId: string) => void;
  /** Metrics and probes; the service inside a command has none. */
  operations?: Operations;
  /** The text about a path that this port lacks and another port of the service has. */
  describeOtherPort?: (path: string) => string | undefined;
  /** Called with every request when it is over. */
  observe?: RequestObserver;
  shedLoad?: LoadShedding;
  limitRate?: Guard;
  timeLimits?: Partial<TimeLimits>;
  /** Adds hooks and routes to the app, before its own. */
  extend?: (app: FastifyInstance) => void;
  /** Called with the response to a request for which no hook runs, such as one with a malformed path. */
  observeUnhooked?: (request: FastifyRequest, reply: FastifyReply) => void;
};

const bodyLimitBytes = 64 * 1024;

/** The service over HTTP, not listening yet: the command's embedded service calls it in process. */
export function createApp(service: Service, options: AppOptions): FastifyInstance {
  const { operations, pages = [] } = options;
  const app = createGuardedApp(options, {
    authenticate: (request, reply, guards) => authenticateRequest(service, request, reply, guards),
    createRequestId: () => service.ids.request(),
    record: (request, reply) => {
      const logged = toStoredRequest(request, reply, service.requestLog);
      if (logged) service.logRequest(logged);
    },
  });
  // The API and pages read bodies in different ways, so each is a plugin of its own.
  void app.register(async (api) => {
    readJsonBodies(api);
    if (!options.forOperator)
      await registerDocumentationRoutes(api, options.publicUrl ?? (() => ""));
    if (operations) registerOperationsRoutes(api, operations);
    registerApiRoutes(api, service);
  });
  for (const each of pages) void app.register(async (plugin) => each.register(plugin));
  return app;
}

type OperationsAppOptions = Pick<AppOptions, "docsUrl" | "log" | "observe" | "timeLimits"> & {
  /** For the answer to a request of the API on this port. */
  apiPort?: () => string;
};

/** Metrics and probes on a port of their own: it has no other path, and needs no key. */
export function createOperationsApp(
  operations: Operations,
  { apiPort, ...options }: OperationsAppOptions,
): FastifyInstance {
  const describeOtherPort = () =>
    `It has ${operationsPaths.join(", ")}${apiPort ? `; the API is on port ${apiPort()}` : ""}.`;
  const app = createGuardedApp(
    { ...options, describeOtherPort },
    {
      authenticate: () => undefined,
      createRequestId,
      record: () => {},
    },
  );
  registerOperationsRoutes(app, operations);
  return app;
}

type Access = {
  authenticate: (
    request: FastifyRequest,
    reply: FastifyReply,
    guards: readonly Guard[],
  ) => Promise<void> | undefined;
  createRequestId: () => string;
  /** Called when the response to a request is ready, whether its client is still there or not. */
  record: (request: FastifyRequest, reply: FastifyReply) => void;
};

/** An app without routes: the guards that every request passes, and its error handler. */
function createGuardedApp(options: AppOptions, access: Access): FastifyInstance {
  const { docsUrl, publicUrl = () => "", pages = [], log, forOperator, onError } = options;
  const findPages = (url: string) => pages.find(({ has }) => has(url));

  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    serverFactory: (handle) => createHttpServer(handle, docsUrl, options.timeLimits),
    clientErrorHandler: () => {}, // each server has its own, also the second one of `localhost`
    routerOptions: { maxParamLength: 16 * 1024 }, // a longer header block is refused before
    exposeHeadRoutes: true,
    schemaController: {
      compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
    },
    return503OnClosing: false, // requests in flight at a shutdown are finished
    genReqId: access.createRequestId,
    rewriteUrl: (request) => toOriginForm(request.url ?? "/"),
    frameworkErrors: (error, request, reply) => {
      void (async () => guard(request, reply))()
        .then(
          () => sendError(error, request, reply),
          (reason: unknown) => sendError(reason, request, reply),
        )
        .then(() => access.record(request, reply)) // no hook runs for these
        .then(() => options.observeUnhooked?.(request, reply));
    },
  });

  /** A promise only where a key has to be looked up: for all other requests it would cost as much as the checks. */
  function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    request.startMs = performance.now();
    reply.raw.on("close", () => {
      shedding?.countClosed(request);
      logClosed(request, reply, options);
    });
    reply.header("service-request-id", request.id);
    const page = findPages(request.url);
    if (page) reply.headers(page.headers(publicUrl()));
    shedding?.beforeAuthentication(request, reply);
    checkHost(request);
    return access.authenticate(request, reply, guards);
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    onError?.(error, request.id);
    const failure =
      error === request.raw.errored
        ? new ServiceError("malformed_request", "The request ended before all of it had arrived.")
        : toServiceError(error, forOperator);
    request.failure = failure;
    const isFault = failure.code === "internal_error" || failure.code === "service_unavailable";
    if (isFault && !request.isShed) {
      log?.error({ request_id: request.id, err: toMaskedError(error) }, failure.code);
    }
    const page = findPages(request.url);
    if (page) {
      void page.sendFailure(reply, failure);
      return;
    }
    const context = { requestId: request.id, docsUrl: docsUrl() };
    const { status, headers, body } = toErrorReply(failure, context);
    void reply.code(status).headers(headers).send(body);
  }

  const endpoints = collectEndpoints(app);
  const shedding = options.shedLoad?.(app);
  const guards = [options.limitRate, shedding?.afterAuthentication].filter(
    (each) => each !== undefined,
  );
  options.extend?.(app);
  app.decorateRequest("principal");
  app.decorateRequest("logged");
  app.decorateRequest("startMs", 0);
  app.decorateRequest("failure");
  app.decorateRequest("paymentId");
  app.decorateRequest("wroteNothing");
  app.addHook("onRequest", (request, reply, next) => {
    const refuseUnknown = () => {
      if (request.is404) throw toRouteError(request, reply, endpoints, options.describeOtherPort); // before its body is read
    };
    const guarded = guard(request, reply);
    if (guarded) return guarded.then(refuseUnknown);
    refuseUnknown();
    return next();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    shedding?.countResponse(request, reply, payload);
    access.record(request, reply);
    done(null, readOnBeforeClosing(request, reply, payload));
  });
  app.setErrorHandler(sendError);
  return app;
}

/** The contract checks requests and responses: Fastify's own compilers are left out of the build. */
function refuseSchemas(): never {
  throw new Error("A route has a Fastify schema, which nothing checks.");
}

type Endpoint = { method: string; path: string };

/** The endpoints of an app, those of its plugins too. To be called before any route is added. */
function collectEndpoints(app: FastifyInstance): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) endpoints.push({ method: each, path: url });
  });
  return endpoints;
}

/** The error for a path that does not exist, or does not have the method: then `Allow` says which it has. */
function toRouteError(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoints: readonly Endpoint[],
  describeOtherPort: AppOptions["describeOtherPort"],
): ServiceError {
  const path = parsePath(request.url);
  const found = endpoints.filter((endpoint) => {
    const pattern = endpoint.path.replaceAll(/:\w+/g, "[^/]*").replaceAll(".", "\\.");
    return new RegExp(`^${pattern}$`).test(path);
  });
  const methods = [...new Set(found.map(({ method }) => method))];
  if (methods.length > 0) {
    reply.header("allow", methods.join(", "));
    return new ServiceError(
      "method_not_allowed",
      `This path does not have that method. Use ${methods.join(" or ")}.`,
    );
  }
  if (path.includes("//")) {
    return new ServiceError(
      "endpoint_not_found",
      "There is no path with two slashes in a row. Send one: a base URL that ends in a slash is joined with a path that begins with another.",
    );
  }
  const otherPort = describeOtherPort?.(path);
  return new ServiceError(
    "endpoint_not_found",
    otherPort === undefined
      ? "There is no such path. See /openapi.json for the paths there are."
      : `There is no such path on this port. ${otherPort}`,
  );
}
