import { html } from "../design/html.ts";
import type { Link } from "./elements.ts";
import type { View } from "./frame.ts";

/** A page with one message, and a link to continue. */
export function renderMessage(title: string, text: string, link?: Link): View {
  return {
    title,
    content: html`<p>${text}</p>
      ${link && html`<p><a href="${link.address}">${link.text}</a></p>`}`,
  };
}

/** The page of a failed request, without details of an internal error. */
export function renderFailure(status: number, dashboardAddress: string): View {
  const [title, text] = describeFailure(status);
  return renderMessage(title, text, linkToDashboard(dashboardAddress));
}

export function linkToDashboard(address: string): Link {
  return { address, text: "Open the dashboard" };
}

function describeFailure(status: number): [title: string, text: string] {
  if (status === 404) {
    return ["Not found", "This page does not exist, or belongs to another account or mode."];
  }
  if (status === 409) {
    return ["Already submitted", "This form was already submitted. Check whether it took effect."];
  }
  if (status >= 500) {
    return [
      "Not available at the moment",
      "The service could not finish this. Check whether it took effect, then try again in a moment.",
    ];
  }
  return ["Something went wrong", "This form could not be read. Go back and try again."];
}
