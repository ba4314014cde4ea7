import type { FastifyInstance } from "fastify";
import { getForm } from "../../../http/form-body.ts";
import type { Service } from "../../../use-cases/service.ts";
import type { requireSession } from "../admission.ts";
import { home, navigation, type AddressWithin } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import type { SessionCookie } from "../session-cookie.ts";
import { renderSignIn } from "../views/sign-in-view.ts";

type Doors = {
  cookie: SessionCookie;
  addressIn: AddressWithin;
  publicUrl: () => string;
  sessionOf: ReturnType<typeof requireSession>["sessionOf"];
};

/** The way in for those who have a session, the page for those who have none, and the ways out. */
export function registerSessionRoutes(
  app: FastifyInstance,
  service: Service,
  { cookie, addressIn, publicUrl, sessionOf }: Doors,
): void {
  app.get("/dashboard", async (request, reply) => {
    const session = await sessionOf(request, reply);
    if (!session) return reply;
    const [account] = session.accounts;
    // Who is being removed may have no account any more, and no session at the next request.
    const path = account ? `/${account.id}/test${navigation[home].path}` : "/sign-in";
    return reply.redirect(addressIn(path), 303);
  });

  app.get("/dashboard/", async (_request, reply) => reply.redirect(addressIn(""), 303));

  app.get("/dashboard/sign-in", async (request, reply) => {
    const session = await service.findSession(cookie.read(request) ?? "");
    return session && session.accounts.length > 0
      ? reply.redirect(addressIn(""), 303)
      : sendView(reply, renderSignIn(publicUrl()));
  });

  app.post("/dashboard/sign-out", async (request, reply) => {
    getForm(request, []);
    if (!(await sessionOf(request, reply))) return reply;
    await service.signOut(cookie.read(request) ?? "");
    cookie.clear(reply);
    return reply.redirect(addressIn("/sign-in"), 303);
  });

  app.post("/dashboard/sign-out-everywhere", async (request, reply) => {
    getForm(request, []);
    const session = await sessionOf(request, reply);
    if (!session) return reply;
    await service.signOutEverywhere(session.operator.id);
    cookie.clear(reply);
    return reply.redirect(addressIn("/sign-in"), 303);
  });
}
