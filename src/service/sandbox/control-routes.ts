import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import type * as z from "zod";
import { ServiceError } from "../../contract/error.ts";
import type { Event } from "../../contract/event.ts";
import { type Mode, modes, sandboxKeys, sortPermissions } from "../../contract/field-values.ts";
import type { Route } from "../../contract/route.ts";
import {
  type AccountWithKeys,
  type FaultBody,
  type MoveClockBody,
  type MovedClock,
  type NewSandboxAccount,
  type SandboxClock,
  type SandboxFault,
  type SandboxRequest,
  sandboxRoutes,
} from "../../contract/sandbox.ts";
import { writeJson } from "../../runtime/text.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { type AccountsService, type Principal, fullGrant } from "../accounts/accounts-service.ts";
import { authenticate, createInvalidKeyError } from "../accounts/authenticate.ts";
import {
  createAccount,
  createKey,
  listAccounts,
  toPrincipal,
} from "../accounts/manage-accounts.ts";
import { inviteOperator, reinviteOperator } from "../accounts/manage-operators.ts";
import { sendJson } from "../http/api-routes.ts";
import { parsePath, readJsonBodies } from "../web/read-request.ts";
import { validate } from "../../contract/validate.ts";
import type { Service } from "../service.ts";
import type { EventWait } from "./wait-for-event.ts";

/** The control of a sandbox, over HTTP and in code. Errors: those of the API. */
export type SandboxControl = {
  /** Everything is as at the start when it resolves. */
  reset: () => Promise<SandboxClock>;
  createAccount: (account: NewSandboxAccount) => Promise<AccountWithKeys>;
  getClock: () => SandboxClock;
  /** Resolves once all the work that is due by then is done. */
  moveClock: (move: MoveClockBody) => Promise<MovedClock>;
  /** In code alone. */
  waitForEvent: (wait: EventWait) => Promise<Event>;
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
 * are published, a web page whose name is made to lead here could use them otherwise (DNS rebinding). `publicUrl` is how
 * others are meant to reach it.
 */
export function refuseForeignHosts(
  app: FastifyInstance,
  { host, publicUrl = "" }: { host: string; publicUrl?: string | undefined },
): void {
  if (!isLoopback(host)) return;
  const publicName = URL.parse(publicUrl)?.hostname;
  app.addHook("onRequest", async ({ hostname }) => {
    if (!hostname.includes(".") || isIP(hostname) || isLoopback(hostname)) return;
    if (hostname === publicName) return;
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
    addRoute(sandboxRoutes.createAccount, async (_, account) => control.createAccount(account));
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

const actor = { type: "command", id: null, name: "sandbox" } as const;
const keyActor = { type: "api_key", id: "key_sandbox", name: "sandbox" } as const;

/**
 * The service with the ways into a sandbox, none of which is in its database: the published keys, for the first
 * account, and a link to the dashboard, which can be used any number of times.
 */
export async function openAccess(
  service: Service,
  accountId: string,
  linkToken: string,
): Promise<Service> {
  const principals = new Map<string, Principal>();
  for (const mode of modes) {
    const context = await toPrincipal(service, { accountId, livemode: mode === "live" });
    if (!context) throw new Error("The sandbox has no account.");
    principals.set(`Bearer ${sandboxKeys[mode]}`, {
      ...context,
      ...fullGrant,
      keyId: keyActor.id,
      actor: keyActor,
    });
  }
  const guest = { name: "Sandbox", role: "admin", accounts: [accountId] } as const;
  const { operator } = await inviteOperator(service, guest, actor);

  /** Another invitation for each use of the link, to all the accounts that there are by then. */
  const renewInvitation = async (token: string): Promise<string> => {
    if (token !== linkToken) return token;
    const accounts = (await listAccounts(service)).map(({ id }) => id);
    const { id } = operator;
    return (await reinviteOperator(service, { id, accounts }, actor)).token;
  };
  return { ...service, guests: { principals, renewInvitation } };
}

/** A new account with a key of each mode, which both may the same. */
export async function createSandboxAccount(
  service: Service,
  { name, permissions, max_refund }: NewSandboxAccount,
  keyName: string,
) {
  const account = await createAccount(service, name == null ? {} : { name }, actor);
  const grant = {
    ...(permissions && { permissions: sortPermissions(permissions) }),
    max_refund: max_refund ?? null,
  };
  const makeKey = async (mode: Mode) =>
    (await createKey(service, { account: account.id, mode, name: keyName, ...grant }, actor)).key;
  return { account, keys: { test: await makeKey("test"), live: await makeKey("live") } };
}
