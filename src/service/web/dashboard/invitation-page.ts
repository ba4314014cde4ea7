import type { BlockList } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Account } from "../../../contract/account.ts";
import type { Operator } from "../../../contract/operator.ts";
import { getForm } from "../../http/form-body.ts";
import { WindowCounts } from "../../http/window-counts.ts";
import { html } from "../design/html.ts";
import { findClientAddress, ipPrefix } from "./client-address.ts";
import { renderFacts } from "./elements.ts";
import { renderMessage } from "./failure-page.ts";
import { sendView, type View } from "./frame.ts";
import type { Entrance } from "./require-session.ts";
import { linkLifetime, renderFreshLinkHelp } from "./sign-in-page.ts";
import { roleMeanings } from "./team-page.ts";

const path = "/dashboard/invitations/:token";
type WithToken = FastifyRequest<{ Params: { token: string } }>;

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
  trustedProxies: BlockList,
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

  app.get(path, { onRequest: limitFailures }, async (request: WithToken, reply) => {
    const { token } = request.params;
    const invitation = await service.findInvitation(token);
    if (!invitation) return fail(request, reply);
    return sendView(reply, renderInvitation(invitation, addressIn(`/invitations/${token}`)));
  });

  app.post(path, { onRequest: limitFailures }, async (request: WithToken, reply) => {
    getForm(request, []);
    const accepted = await service.acceptInvitation(request.params.token);
    if (!accepted) return fail(request, reply);
    const replaced = cookie.read(request);
    if (replaced !== undefined) await service.signOut(replaced); // only this browser has its secret
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
  const name = html`<bdi>${operator.name}</bdi>`;
  return {
    title: "Your invitation",
    content: html`<div class="sheet">
        ${renderFacts([
          ["For", name],
          ["Role", roleMeanings[operator.role]],
          [
            accounts.length === 1 ? "Account" : "Accounts",
            html`${accounts.map((account) => html`<div><bdi>${account.name}</bdi></div>`)}`,
          ],
        ])}
      </div>
      <p>This link works once. If you are not ${name}, do not use it.</p>
      <form method="post" action="${action}">
        <button class="primary"><span>Sign in as ${name}</span></button>
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
