import type { FastifyReply, FastifyRequest } from "fastify";
import type { Account } from "../../../contract/administration.ts";
import { modes, sandboxKeys, type Mode } from "../../../contract/field-values.ts";
import { ServiceError } from "../../../contract/error.ts";
import { maxSessionMs } from "../../accounts/operator-state.ts";
import { findSession, type Session } from "../../accounts/sessions.ts";
import { isSameOrigin, parsePath } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { html } from "../design/html.ts";
import { linkToDashboard, renderMessage, sendView } from "./frame.ts";
import { toWords } from "./value-words.ts";
import { createVisit, type AddressWithin, type Visit } from "./visit.ts";

/** The dependencies of pages outside of any account. */
export type Entrance = {
  service: Service;
  cookie: SessionCookie;
  publicUrl: () => string;
  addressIn: AddressWithin;
  /** Of a sandbox, the account that has the published keys. */
  sandboxAccount: string | undefined;
};

/** The session of a request. Answers a request without one itself. */
export async function readSession(
  { service, cookie, addressIn }: Entrance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Session | undefined> {
  const secret = cookie.read(request);
  const session = secret === undefined ? undefined : await findSession(service, secret);
  if (session) {
    request.logged = { operator_id: session.operator.id };
    return session;
  }
  const site = request.headers["sec-fetch-site"];
  if (request.method === "POST") {
    const link = { address: addressIn("/sign-in"), text: "How to sign in" };
    const text = "Your session is over, so nothing was changed.";
    sendView(reply, renderMessage("Signed out", text, link), 403);
  } else if (secret === undefined && (site === "cross-site" || site === "same-site")) {
    // The browser sends no cookie when another site, such as a mail or a chat, links here. It sends the cookie when
    // a page of this service leads to the same address.
    const address = addressIn(request.url.replace(/^\/dashboard/, ""));
    reply.header("refresh", `0; url=${address}`);
    const content = html`<p><a href="${address}">Continue</a></p>`;
    sendView(reply, { title: "One moment", content });
  } else reply.redirect(addressIn("/sign-in"), 303);
  return undefined;
}

/** The hooks that control access to pages. */
export function requireSession(entrance: Entrance) {
  const { service, cookie, publicUrl, addressIn, sandboxAccount } = entrance;

  /** Sets the visit of a request: its operator, account and mode. */
  function setVisit(request: FastifyRequest, session: Session, account: Account, mode: Mode): void {
    request.logged = { operator_id: session.operator.id, account: account.id, mode };
    const movesMoney = mode === "live" && service.movesMoney;
    const [apiUrl, nowMs] = [publicUrl(), service.clock()];
    const isSandbox = sandboxAccount !== undefined;
    const publishedKey = sandboxAccount === account.id ? sandboxKeys[mode] : undefined;
    request.visit = createVisit(
      { session, account, mode, movesMoney, apiUrl, nowMs, isSandbox, publishedKey },
      addressIn,
    );
  }

  return {
    /** Refuses forms that come from another site. */
    refuseForeignForm: async (request: FastifyRequest, reply: FastifyReply) => {
      const isForeign = request.method === "POST" && !isSameOrigin(request.headers, publicUrl());
      if (!isForeign) return undefined;
      const text =
        "This form was not sent from a page of this dashboard, so nothing was changed. Open the dashboard and try there.";
      const view = renderMessage("Not accepted", text, linkToDashboard(addressIn("")));
      return sendView(reply, view, 403);
    },

    /** Refuses operators whose role does not include the page. Error: resource_missing. */
    requireRole: async (request: FastifyRequest, reply: FastifyReply) => {
      const session = await readSession(entrance, request, reply);
      if (!session) return reply;
      const params = request.params as { account: string; mode: string };
      const account = session.accounts.find(({ id }) => id === params.account);
      if (!account || !isMode(params.mode)) {
        throw new ServiceError("resource_missing", "There is no such account or mode.");
      }
      setVisit(request, session, account, params.mode);
      const { needs = "administer" } = request.routeOptions.config;
      if (request.visit.may(needs)) return undefined;
      const text = `Your role is ${toWords(session.operator.role)}, which does not include this page or action. An admin of the account can do it, or change your role.`;
      return sendView(reply, renderMessage("Not for your role", text), 403);
    },

    /**
     * Sets the visit of a request to a wrong address, so that its page has the frame of the account in that address,
     * for operators of the account only: others must not learn which accounts exist.
     */
    frameFailure: async (request: FastifyRequest) => {
      const [, , accountId, mode = ""] = parsePath(request.url).split("/");
      const secret = cookie.read(request);
      if (secret === undefined || (request.visit as Visit | undefined)) return;
      const session = await findSession(service, secret).catch(() => undefined);
      const account = session?.accounts.find(({ id }) => id === accountId);
      if (session && account) setVisit(request, session, account, isMode(mode) ? mode : "test");
    },
  };
}

function isMode(text: string): text is Mode {
  return modes.some((mode) => mode === text);
}

/** The service decides when a session is over. */
const maxAgeSeconds = maxSessionMs / 1000;

type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * The cookie that holds a session's secret. Under https the browser accepts it only from this host, over an
 * encrypted connection (`__Host-`). Plain http is used on one machine only.
 */
export function createSessionCookie(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith("https:");
  const name = () => (isSecure() ? "__Host-payments_session" : "payments_session");
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      "set-cookie",
      `${name()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure() ? "; Secure" : ""}`,
    );
  return {
    read: ({ headers }: FastifyRequest): string | undefined => {
      const start = `${name()}=`;
      const cookies = (headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
      return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
    },
    set: (reply: FastifyReply, secret: string) => write(reply, secret, maxAgeSeconds),
    clear: (reply: FastifyReply) => write(reply, "", 0),
  };
}
