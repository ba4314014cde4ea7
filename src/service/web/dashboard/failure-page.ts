import type { Role } from "../../../contract/operator.ts";
import { html } from "../design/html.ts";
import type { View } from "./frame.ts";

/** The page of a failed request, with the way back; of an internal error it says nothing but what to do. */
export function renderFailure(status: number, dashboardAddress: string): View {
  const [title, text] = describeFailure(status);
  return renderText(title, text, [dashboardAddress, "Open the dashboard"]);
}

function describeFailure(status: number): [title: string, text: string] {
  if (status === 404) {
    return ["Not found", "This page does not exist, or belongs to another account or mode."];
  }
  if (status === 409) {
    return ["Already submitted", "This form was already submitted. Check whether it was done."];
  }
  if (status >= 500) {
    return [
      "Not available at the moment",
      "The service could not finish this. Check whether it was done, then try again in a moment.",
    ];
  }
  return ["Something went wrong", "This form could not be read. Go back and try again."];
}

export function renderNotAllowed(role: Role): View {
  return renderText(
    "Not for your role",
    `Your role is ${role}, which does not include this page or action. An admin of the account can do it, or change your role.`,
  );
}

export function renderRefused(reason: string): View {
  return renderText("Not accepted", reason);
}

/** The answer to a form of another site. */
export function renderForeignForm(dashboardAddress: string): View {
  return renderText(
    "Not accepted",
    "This form was not sent from a page of this dashboard, so nothing was changed. Open the dashboard and try there.",
    [dashboardAddress, "Open the dashboard"],
  );
}

/** The answer to a form without a session. */
export function renderSignedOut(signInAddress: string): View {
  return renderText("Signed out", "Your session is over, so nothing was changed.", [
    signInAddress,
    "How to sign in",
  ]);
}

export function renderTooManyLinks(waitSeconds: number): View {
  return renderText(
    "Too many links that do not work",
    `Wait ${waitSeconds} seconds, then open your link again. If it has expired meanwhile, ask for another one.`,
  );
}

function renderText(title: string, text: string, link?: [address: string, text: string]): View {
  return {
    title,
    content: html`<p>${text}</p>
      ${link && html`<p><a href="${link[0]}">${link[1]}</a></p>`}`,
  };
}
