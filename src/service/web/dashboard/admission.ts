import type { FastifyReply, FastifyRequest } from "fastify";
import { modes, type Mode } from "../../../contract/key.ts";
import type { Account } from "../../../contract/account.ts";
import { isSameOrigin } from "../../http/cross-site.ts";
import { parsePath } from "../../http/target.ts";
import { ServiceError } from "../../domain/service-error.ts";
import type { Service } from "../../use-cases/service.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { AddressWithin } from "./navigation.ts";
import { sendView } from "./send-view.ts";
import type { SessionCookie } from "./session-cookie.ts";
import {
  renderArriving,
  renderForeignForm,
  renderNotAllowed,
  renderSignedOut,
} from "./views/failure-view.ts";
import { createVisit, type Visit } from "./visit.ts";

type Doors = {
  service: Service;
  cookie: SessionCookie;
  publicUrl: () => string;
  addressIn: AddressWithin;
};

/** Who is let in, and where those are led who are not. */
export function requireSession({ service, cookie, publicUrl, addressIn }: Doors) {
  /** The session of a request; without one the request is answered. */
  async function sessionOf(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Session | undefined> {
    const secret = cookie.read(request);
    const session = secret === undefined ? undefined : await service.findSession(secret);
    if (session) {
      request.logged = { operator_id: session.operator.id };
      return session;
    }
    if (request.method === "POST") sendView(reply, renderSignedOut(addressIn), 403);
    else if (secret === undefined && comesFromElsewhere(request)) arrive(request, reply);
    else reply.redirect(addressIn("/sign-in"), 303);
    return undefined;
  }

  /**
   * The cookie does not come along when a link of another site is followed, in a mail or a chat. Led here once
   * more by a page of this service, the browser sends it.
   */
  function arrive(request: FastifyRequest, reply: FastifyReply): void {
    const address = addressIn(request.url.replace(/^\/dashboard/, ""));
    reply.header("refresh", `0; url=${address}`);
    sendView(reply, renderArriving(address));
  }

  /** Has a request be one of an operator, in an account of theirs and a mode. */
  function enter(request: FastifyRequest, session: Session, account: Account, mode: Mode): void {
    request.logged = { operator_id: session.operator.id, account: account.id, mode };
    const movesMoney = mode === "live" && service.movesMoney;
    request.visit = createVisit(
      { session, account, mode, movesMoney, apiUrl: publicUrl() },
      addressIn,
    );
  }

  return {
    sessionOf,

    /** Takes forms from the dashboard's own pages alone. */
    refuseForeignForm: async (request: FastifyRequest, reply: FastifyReply) => {
      const isForeign = request.method === "POST" && !isSameOrigin(request.headers, publicUrl());
      return isForeign ? sendView(reply, renderForeignForm(addressIn("")), 403) : undefined;
    },

    /** Lets those operators see a page of an account and mode who may. Error: resource_missing. */
    admitVisitor: async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await sessionOf(request, reply);
      if (!session) return reply;
      const params = request.params as { account: string; mode: string };
      const account = session.accounts.find(({ id }) => id === params.account);
      if (!account || !isMode(params.mode)) {
        throw new ServiceError("resource_missing", "There is no such account or mode.");
      }
      enter(request, session, account, params.mode);
      const { needs = "administer" } = request.routeOptions.config;
      return request.visit.may(needs)
        ? undefined
        : sendView(reply, renderNotAllowed(session.operator.role), 403);
    },

    /**
     * Puts what is not there into the frame of the account that its address names, for operators who may see that
     * account. To all others every wrong address is the same.
     */
    frameFailure: async (request: FastifyRequest) => {
      const [, , accountId, mode = ""] = parsePath(request.url).split("/");
      const secret = cookie.read(request);
      if (secret === undefined || (request.visit as Visit | undefined)) return;
      const session = await service.findSession(secret).catch(() => undefined);
      const account = session?.accounts.find(({ id }) => id === accountId);
      if (session && account) enter(request, session, account, isMode(mode) ? mode : "test");
    },
  };
}

function isMode(text: string): text is Mode {
  return modes.some((mode) => mode === text);
}

function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site";
}
