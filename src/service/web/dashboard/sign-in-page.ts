import { isIP } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Account, Operator } from "../../../contract/administration.ts";
import { WindowCounts } from "../../../runtime/fair-semaphore.ts";
import { findInvitation } from "../../accounts/manage-operators.ts";
import { invitationLifetimeMs } from "../../accounts/operator-state.ts";
import {
  acceptInvitation,
  findSession,
  signOut,
  signOutEverywhere,
} from "../../accounts/sessions.ts";
import { getForm } from "../read-request.ts";
import { html, type Html } from "../design/html.ts";
import { renderCommand, renderFacts } from "./elements.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { readSession, type Entrance } from "./require-session.ts";
import { roleMeanings } from "./value-words.ts";
import { home, navigation } from "./visit.ts";

/** The address that leads into the first account, the page for signing in, and the forms that sign out. */
export function registerSignInPage(app: FastifyInstance, entrance: Entrance): void {
  const { service, cookie, addressIn, publicUrl, sandboxAccount } = entrance;

  app.get("/dashboard", async (request, reply) => {
    const session = await readSession(entrance, request, reply);
    if (!session) return reply;
    const [account] = session.accounts;
    // An operator who is being removed may have no account any more, and no session at the next request.
    const path = account ? `/${account.id}/test${navigation[home].path}` : "/sign-in";
    return reply.redirect(addressIn(path), 303);
  });

  app.get("/dashboard/", async (_request, reply) => reply.redirect(addressIn(""), 303));

  app.get("/dashboard/sign-in", async (request, reply) => {
    const session = await findSession(service, cookie.read(request) ?? "");
    return session && session.accounts.length > 0
      ? reply.redirect(addressIn(""), 303)
      : sendView(
          reply,
          sandboxAccount !== undefined ? renderSandboxSignIn() : renderSignIn(publicUrl()),
        );
  });

  for (const path of ["/dashboard/sign-out", "/dashboard/sign-out-everywhere"]) {
    app.post(path, async (request, reply) => {
      getForm(request, []);
      const session = await readSession(entrance, request, reply);
      if (!session) return reply;
      if (path.endsWith("everywhere")) await signOutEverywhere(service, session.operator.id);
      else await signOut(service, cookie.read(request) ?? "");
      cookie.clear(reply);
      return reply.redirect(addressIn("/sign-in"), 303);
    });
  }
}

/** How long a link signs in, in words. */
export const linkLifetime = `${invitationLifetimeMs / 60_000} minutes`;

/** The page without a session: how to get a link to this address. */
export function renderSignIn(publicUrl: string): View {
  return {
    title: "Sign in",
    content: html`<p>You sign in with a link that works once, for ${linkLifetime}.</p>
      <div class="sheet">
        <h2>If you have signed in before</h2>
        ${renderFreshLinkHelp(publicUrl)}
      </div>
      <div class="sheet">
        <h2>If you run the service</h2>
        <p>
          This command prints a link for you as the first admin. If there are operators already, add
          <code>--operator</code> and your ID:
        </p>
        ${renderCommand(`payments dashboard --public-url ${publicUrl}`)}
      </div>`,
  };
}

/** The same in a sandbox, whose link works as often as it is used. */
function renderSandboxSignIn(): View {
  return {
    title: "Sign in",
    content: html`<p>
      You sign in with the link that <code>payments sandbox</code> printed when it started. It works
      any number of times.
    </p>`,
  };
}

function renderFreshLinkHelp(publicUrl: string): Html {
  return html`<p>
      Ask an admin of your account to invite you again on the Team page. Or ask the person who runs
      the service to run this command with your ID:
    </p>
    ${renderCommand(`payments operators invite --id OPERATOR_ID --public-url ${publicUrl}`)}`;
}

const invitationPath = "/dashboard/invitations/:token";
type WithToken = FastifyRequest<{ Params: { token: string } }>;

/** Which addresses are those of proxies; a `BlockList` of Node can tell. Types of Node are not in the public types. */
export type TrustedProxies = {
  check: (address: string, family?: "ipv4" | "ipv6") => boolean;
};

const minuteMs = 60_000;
const maxFailuresPerMinute = 10;
const maxAddresses = 10_000;

/**
 * The links that sign in. Only the page's button uses a link up, because a link scanner opens it. A client that has
 * tried ten invalid links in a minute is refused until the minute is over; an IPv6 client is its 64-bit prefix.
 */
export function registerInvitationPage(
  app: FastifyInstance,
  { service, cookie, addressIn, publicUrl }: Entrance,
  trustedProxies: TrustedProxies,
): void {
  const failures = new WindowCounts(minuteMs, maxAddresses);
  const addressOf = (request: FastifyRequest) => findClientAddress(request, trustedProxies);

  async function limitFailures(request: FastifyRequest, reply: FastifyReply) {
    const { count, leftMs } = failures.find(ipPrefix(addressOf(request)));
    return count < maxFailuresPerMinute ? undefined : refuse(request, reply, leftMs);
  }

  /** The same for a link that is unknown, used, expired or tampered with. */
  function fail(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { count, leftMs } = failures.add(ipPrefix(addressOf(request)));
    if (count > maxFailuresPerMinute) return refuse(request, reply, leftMs); // concurrent requests
    request.logged = { address: addressOf(request) };
    return sendView(reply, renderEndedInvitation(publicUrl(), addressIn("")), 404);
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, leftMs: number): FastifyReply {
    request.logged = { address: addressOf(request) };
    const waitSeconds = Math.ceil(leftMs / 1000);
    reply.header("retry-after", waitSeconds);
    const text = `Wait ${waitSeconds} seconds, then open your link again. If it has expired meanwhile, ask for another one.`;
    return sendView(reply, renderMessage("Too many links that do not work", text), 429);
  }

  app.get(invitationPath, { onRequest: limitFailures }, async (request: WithToken, reply) => {
    const { token } = request.params;
    const invitation = await findInvitation(service, token);
    if (!invitation) return fail(request, reply);
    return sendView(reply, renderInvitation(invitation, addressIn(`/invitations/${token}`)));
  });

  app.post(invitationPath, { onRequest: limitFailures }, async (request: WithToken, reply) => {
    getForm(request, []);
    const accepted = await acceptInvitation(service, request.params.token);
    if (!accepted) return fail(request, reply);
    const replaced = cookie.read(request);
    if (replaced !== undefined) await signOut(service, replaced); // only this browser has its secret
    request.logged = { operator_id: accepted.session.operator.id };
    cookie.set(reply, accepted.secret);
    return reply.redirect(addressIn(""), 303);
  });
}

/** The page of an invitation, which names its operator; its button signs in. */
export function renderInvitation(
  { operator, accounts }: { operator: Operator; accounts: Account[] },
  action: string,
): View {
  return {
    title: "Your invitation",
    content: html`<div class="sheet">
        ${renderFacts([
          ["For", html`<bdi>${operator.name}</bdi>`],
          ["Role", roleMeanings[operator.role]],
          [
            accounts.length === 1 ? "Account" : "Accounts",
            html`<ul class="accounts">
              ${accounts.map((account) => html`<li><bdi>${account.name}</bdi></li>`)}
            </ul>`,
          ],
        ])}
      </div>
      <p>This link works once. If it is not for you, do not use it.</p>
      <form method="post" action="${action}">
        <button class="primary">Accept and sign in</button>
      </form>`,
  };
}

/** The page of an invalid link. An operator who reopens a used one may be signed in already. */
function renderEndedInvitation(publicUrl: string, dashboardAddress: string): View {
  return {
    title: "This link does not work",
    content: html`<p>It was used, or has expired (it works for ${linkLifetime}), or is mistyped.</p>
      <p>If you have signed in before: <a href="${dashboardAddress}">Open the dashboard</a></p>
      ${renderFreshLinkHelp(publicUrl)}`,
  };
}

/**
 * The address of the client: the other end of the connection, or behind trusted proxies the last address that they
 * have added to `X-Forwarded-For`. A client can forge those before it.
 */
function findClientAddress(request: FastifyRequest, trusted: TrustedProxies): string {
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  let address = normalize(request.raw.socket.remoteAddress ?? "");
  while (isTrusted(address, trusted)) {
    const before = normalize(forwarded.pop()?.trim() ?? "");
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/** The prefix that identifies a client: 64 bits of an IPv6 address, since the client chooses the others itself. */
function ipPrefix(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before, after] = address.split("::");
  const [first, last] = [splitGroups(before), splitGroups(after)];
  const zeros = after === undefined ? 0 : 8 - first.length - last.length;
  const network = [...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4);
  return network.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}

function splitGroups(part = ""): string[] {
  return part.split(":").filter((group) => group !== "");
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 4 ? "ipv4" : "ipv6");
}

/**
 * An address without its port, which some proxies add, and without the `::ffff:` that a socket for both versions puts
 * before one of version 4.
 */
function normalize(text: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
