import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import type * as z from "zod";
import type { AccountsService } from "../accounts/accounts-service.ts";
import { authenticate, createInvalidKeyError } from "../accounts/authenticate.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import {
  sandboxRoutes,
  type FaultBody,
  type MoveClockBody,
  type SandboxFault,
  type SandboxRequest,
  type AccountWithKeys,
  type MovedClock,
  type SandboxClock,
} from "../../contract/sandbox.ts";
import type { Route } from "../../contract/route.ts";
import { writeJson } from "../../runtime/text.ts";
import { ServiceError } from "../../contract/error.ts";
import { readJsonBodies } from "../http/bodies.ts";
import { sendJson } from "../http/answer-route.ts";
import { parsePath } from "../input/request-address.ts";
import { validate } from "../input/validate.ts";

/** The control of a sandbox, over HTTP and in code. Errors: those of the API. */
export type SandboxControl = {
  /** Everything is as at the start when it resolves. */
  reset: () => Promise<SandboxClock>;
  createAccount: (name?: string) => Promise<AccountWithKeys>;
  getClock: () => SandboxClock;
  /** Resolves once all the work that is due by then is done. */
  moveClock: (move: MoveClockBody) => Promise<MovedClock>;
  setFault: (accountId: string, fault: FaultBody) => SandboxFault;
  listFaults: (accountId: string) => SandboxFault[];
  clearFaults: (accountId: string) => void;
  listRequests: (accountId: string) => SandboxRequest[];
};

/** Whether a request is for the control of a sandbox. */
export function isControlPath(url: string): boolean {
  return /^\/sandbox(?:\/|$)/.test(parsePath(url));
}

/**
 * Refuses requests under a name that is not this machine's, where only this machine reaches the sandbox: since its keys
 * are published, a web page whose name is made to lead here could use them otherwise (DNS rebinding).
 */
export function refuseForeignHosts(app: FastifyInstance, listeningHost: string): void {
  if (!isLoopback(listeningHost)) return;
  app.addHook("onRequest", async ({ hostname }) => {
    if (!hostname.includes(".") || isIP(hostname) || isLoopback(hostname)) return;
    throw new ServiceError(
      "malformed_request",
      "The Host header names another machine. Reach this sandbox as localhost or 127.0.0.1, or let it listen with --host on an address that others reach.",
    );
  });
}

/** The control of a sandbox over HTTP; each request needs a test key of one of its accounts. */
export function registerControl(
  app: FastifyInstance,
  service: AccountsService,
  control: SandboxControl,
): void {
  void app.register(async (plugin) => {
    readJsonBodies(plugin);
    plugin.addHook("onRequest", async (request) => {
      request.principal = await authenticate(service, request.headers.authorization);
      if (request.principal.scope.livemode) throw createInvalidKeyError();
    });

    const addRoute = <Of extends Route>(
      { method, path: url, status, body: schema }: Of,
      work: (accountId: string, body: z.output<NonNullable<Of["body"]>>) => unknown,
    ) =>
      plugin.route({
        method,
        url,
        handler: async ({ principal, body }, reply) => {
          const parsed = schema && validate(schema, body ?? {});
          const answer = await work(
            principal.scope.accountId,
            parsed as z.output<NonNullable<Of["body"]>>,
          );
          return sendJson(reply, status, writeJson(answer));
        },
      });
    addRoute(sandboxRoutes.reset, async () => control.reset());
    addRoute(sandboxRoutes.createAccount, async (_, { name }) =>
      control.createAccount(name ?? undefined),
    );
    addRoute(sandboxRoutes.getClock, () => control.getClock());
    addRoute(sandboxRoutes.moveClock, async (_, move) => control.moveClock(move));
    addRoute(sandboxRoutes.setFault, control.setFault);
    addRoute(sandboxRoutes.listFaults, (id) => toList(control.listFaults(id)));
    addRoute(sandboxRoutes.clearFaults, (id) => {
      control.clearFaults(id);
      return toList(control.listFaults(id));
    });
    addRoute(sandboxRoutes.listRequests, (id) => toList(control.listRequests(id)));
  });
}

function toList<Item>(data: Item[]) {
  return { object: "list", data } as const;
}
