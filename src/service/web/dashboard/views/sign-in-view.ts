import { invitationLifetimeMs } from "../../../domain/operator-rights.ts";
import { html, type Html } from "../html.ts";
import { renderCommand } from "./elements.ts";
import type { View } from "./frame.ts";

/** How long a link signs in, in words. */
export const linkLifetime = `${invitationLifetimeMs / 60_000} minutes`;

/** The page for whoever is not signed in: it says how to get a link to this address. */
export function renderSignIn(publicUrl: string): View {
  return {
    title: "Sign in",
    content: html`<p>
        You are not signed in. There are no passwords here: a link signs you in, once, and works for
        ${linkLifetime}.
      </p>
      <div class="sheet">
        <h2>You have been here before</h2>
        ${freshLink(publicUrl)}
      </div>
      <div class="sheet">
        <h2>You run the service</h2>
        <p>
          This makes a link for you as the first admin; where somebody was invited before, add
          <code>--operator</code> and your id:
        </p>
        ${renderCommand(`payments dashboard --public-url ${publicUrl}`)}
      </div>`,
  };
}

/** The page of a link that signs nobody in; whoever opens a used one again may well be in by it. */
export function renderEndedInvitation(publicUrl: string, entrance: string): View {
  return {
    title: "This link does not work",
    content: html`<p>It was used, or has expired (it works for ${linkLifetime}), or is mistyped.</p>
      <p>If you have signed in before: <a href="${entrance}">Open the dashboard</a></p>
      ${freshLink(publicUrl)}`,
  };
}

function freshLink(publicUrl: string): Html {
  return html`<p>
      Ask an admin of your account for a fresh link, on the page Team, or whoever runs the service:
    </p>
    ${renderCommand(`payments operators invite --id op_… --public-url ${publicUrl}`)}`;
}
