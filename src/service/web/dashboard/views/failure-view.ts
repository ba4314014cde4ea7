import type { Role } from "../../../../contract/operator.ts";
import { html, type Html } from "../html.ts";
import type { AddressWithin } from "../navigation.ts";
import type { View } from "./frame.ts";

/** The page of what failed, with the way back; of a fault of ours it tells nothing but what to do. */
export function renderFailure({ status, entrance }: { status: number; entrance: string }): View {
  const [title, says] = failureOf(status);
  return {
    title,
    content: html`<p>${says}</p>
      ${wayIn(entrance)}`,
  };
}

function failureOf(status: number): [title: string, says: string] {
  if (status === 404) {
    return [
      "Not found",
      "There is nothing at this address that you may see: it is mistyped, or gone, or belongs to another account or mode.",
    ];
  }
  if (status === 409) {
    return [
      "Sent before",
      "This form was sent before. Look whether what you wanted has been done.",
    ];
  }
  if (status >= 500) {
    return [
      "Not available at the moment",
      "The service could not finish this. Try again in a moment; look first whether what you wanted has been done.",
    ];
  }
  return ["Something went wrong", "This page could not read what was sent. Go back and try again."];
}

/** The page for an operator whose role does not have what was asked for. */
export function renderNotAllowed(role: Role): View {
  return saying(
    "Not for your role",
    `You are here as ${role}, which does not include this page or action. An admin of the account can do it, or give you another role.`,
  );
}

/** The page of what was refused, for a reason that is told. */
export function renderRefused(reason: string): View {
  return saying("Not accepted", reason);
}

/** The page that answers a form from elsewhere. */
export function renderForeignForm(entrance: string): View {
  return {
    title: "Not accepted",
    content: html`<p>
        This form was not sent from a page of this dashboard, so nothing was changed. Open the
        dashboard and try there.
      </p>
      ${wayIn(entrance)}`,
  };
}

/** The page that answers a form of somebody who is not signed in any more. */
export function renderSignedOut(addressIn: AddressWithin): View {
  return {
    title: "Signed out",
    content: html`<p>Your session is over, so nothing was changed.</p>
      <p><a href="${addressIn("/sign-in")}">How to sign in</a></p>`,
  };
}

/** The page that leads on to an address by itself. */
export function renderArriving(address: string): View {
  return { title: "One moment", content: html`<p><a href="${address}">Continue</a></p>` };
}

/** The page for somebody who tried too many links. */
export function renderTooManyLinks(waitSeconds: number): View {
  return saying(
    "Too many links that do not work",
    `Wait ${waitSeconds} seconds, then open your link again. If it has expired meanwhile, ask for another one.`,
  );
}

function saying(title: string, text: string): View {
  return { title, content: html`<p>${text}</p>` };
}

function wayIn(entrance: string): Html {
  return html`<p><a href="${entrance}">Open the dashboard</a></p>`;
}
