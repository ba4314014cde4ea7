import type { FastifyInstance } from "fastify";
import { invitationLifetimeMs } from "../../domain/operator-rights.ts";
import { getForm } from "../../input/forms.ts";
import { html, type Html } from "../design/html.ts";
import { renderCommand } from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { home, navigation } from "./visit.ts";
import { findSession, type Entrance } from "./require-session.ts";

/** The address that leads into the first account, the page for signing in, and the forms that sign out. */
export function registerSignInPage(app: FastifyInstance, entrance: Entrance): void {
  const { service, cookie, addressIn, publicUrl, sandboxAccount } = entrance;

  app.get("/dashboard", async (request, reply) => {
    const session = await findSession(entrance, request, reply);
    if (!session) return reply;
    const [account] = session.accounts;
    // An operator who is being removed may have no account any more, and no session at the next request.
    const path = account ? `/${account.id}/test${navigation[home].path}` : "/sign-in";
    return reply.redirect(addressIn(path), 303);
  });

  app.get("/dashboard/", async (_request, reply) => reply.redirect(addressIn(""), 303));

  app.get("/dashboard/sign-in", async (request, reply) => {
    const session = await service.findSession(cookie.read(request) ?? "");
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
      const session = await findSession(entrance, request, reply);
      if (!session) return reply;
      if (path.endsWith("everywhere")) await service.signOutEverywhere(session.operator.id);
      else await service.signOut(cookie.read(request) ?? "");
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

export function renderFreshLinkHelp(publicUrl: string): Html {
  return html`<p>
      Ask an admin of your account to invite you again on the Team page. Or ask the person who runs
      the service to run this command with your ID:
    </p>
    ${renderCommand(`payments operators invite --id OPERATOR_ID --public-url ${publicUrl}`)}`;
}
