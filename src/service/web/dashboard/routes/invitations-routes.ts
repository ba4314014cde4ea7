import type { BlockList } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { getForm } from "../../../http/form-body.ts";
import { WindowCounts } from "../../../http/window-counts.ts";
import type { Service } from "../../../use-cases/service.ts";
import { findClientAddress, ipPrefix } from "../client-address.ts";
import type { AddressWithin } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import type { SessionCookie } from "../session-cookie.ts";
import { renderTooManyLinks } from "../views/failure-view.ts";
import { renderInvitation } from "../views/invitation-view.ts";
import { renderEndedInvitation } from "../views/sign-in-view.ts";

const path = "/dashboard/invitations/:token";
type WithToken = FastifyRequest<{ Params: { token: string } }>;

const minuteMs = 60_000;
const failuresAMinute = 10;
/** Addresses that are counted at a time. */
const maxAddresses = 10_000;

type Doors = {
  cookie: SessionCookie;
  addressIn: AddressWithin;
  publicUrl: () => string;
  trustedProxies: BlockList;
};

/**
 * The links that sign in. Opening one uses nothing up, its button does: who looks at links before people do
 * only opens them. An address that has tried ten in a minute that do not work is refused until that is over,
 * with all of its network where that is one client's.
 */
export function registerInvitationRoutes(
  app: FastifyInstance,
  service: Service,
  { cookie, addressIn, publicUrl, trustedProxies }: Doors,
): void {
  const failures = new WindowCounts(minuteMs, maxAddresses);
  const addressOf = (request: FastifyRequest) => findClientAddress(request, trustedProxies);

  async function refuseMany(request: FastifyRequest, reply: FastifyReply) {
    const { count, leftMs } = failures.find(ipPrefix(addressOf(request)));
    return count < failuresAMinute ? undefined : refused(request, reply, leftMs);
  }

  /** The same for a link that is unknown, used, expired or tampered with. */
  function ended(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { count, leftMs } = failures.add(ipPrefix(addressOf(request)));
    if (count > failuresAMinute) return refused(request, reply, leftMs); // others came at the same time
    request.logged = { address: addressOf(request) };
    return sendView(reply, renderEndedInvitation(publicUrl(), addressIn("")), 404);
  }

  function refused(request: FastifyRequest, reply: FastifyReply, leftMs: number): FastifyReply {
    request.logged = { address: addressOf(request) };
    const waitSeconds = Math.ceil(leftMs / 1000);
    reply.header("retry-after", waitSeconds);
    return sendView(reply, renderTooManyLinks(waitSeconds), 429);
  }

  app.get(path, { onRequest: refuseMany }, async (request: WithToken, reply) => {
    const { token } = request.params;
    const invitation = await service.findInvitation(token);
    if (!invitation) return ended(request, reply);
    return sendView(reply, renderInvitation(invitation, addressIn(`/invitations/${token}`)));
  });

  app.post(path, { onRequest: refuseMany }, async (request: WithToken, reply) => {
    getForm(request, []);
    const accepted = await service.acceptInvitation(request.params.token);
    if (!accepted) return ended(request, reply);
    const before = cookie.read(request);
    if (before !== undefined) await service.signOut(before); // nobody could any more
    request.logged = { operator_id: accepted.session.operator.id };
    cookie.set(reply, accepted.secret);
    return reply.redirect(addressIn(""), 303);
  });
}
