import { errorCodes } from "../../../contract/error.ts";
import type { Role } from "../../../contract/operator.ts";
import type { ServiceError } from "../../use-cases/service-error.ts";
import { html } from "../html.ts";
import type { View } from "./frame.ts";

/** The page of what failed; of a fault of ours it tells nothing but what to do. */
export function failureView({ code }: ServiceError, status: number): View {
  if (status === 404) {
    return saying("Not found", [
      "There is nothing at this address that you may see: it is mistyped, or belongs to another account or mode.",
    ]);
  }
  if (status >= 500) {
    return saying("Not available at the moment", [
      "The service could not finish this. Try again in a moment; look first whether what you wanted has been done.",
    ]);
  }
  const { meaning, remedy } = errorCodes[code];
  return saying("Not done", [withoutMarks(meaning), withoutMarks(remedy)]);
}

/** The page for an operator whose role does not have what was asked for. */
export function notAllowedView(role: Role): View {
  return saying("Not for your role", [
    `You are here as ${role}, which does not include this page or action. An admin of the account can do it, or give you another role.`,
  ]);
}

/** The page of what was refused, for a reason that is told. */
export function refusedView(reason: string): View {
  return saying("Not done", [reason]);
}

/** The page that answers a form from elsewhere. */
export function foreignFormView(): View {
  return saying("Not taken", [
    "This form was not sent from a page of this dashboard, so nothing was changed. Open the dashboard and try there.",
  ]);
}

/** The page that answers a form of somebody who is not signed in any more. */
export function signedOutView(addressIn: (path: string) => string): View {
  return {
    title: "Signed out",
    content: html`<p>Your session is over, so nothing was changed.</p>
      <p><a href="${addressIn("/sign-in")}">How to sign in</a></p>`,
  };
}

/** The page that leads on to an address by itself. */
export function arrivingView(address: string): View {
  return { title: "One moment", content: html`<p><a href="${address}">Continue</a></p>` };
}

/** The page for somebody who tried too many links. */
export function tooManyLinksView(waitSeconds: number): View {
  return saying("Too many links that do not work", [
    `Wait ${waitSeconds} seconds, then open your link again. If it has expired meanwhile, ask for another one.`,
  ]);
}

function saying(title: string, paragraphs: string[]): View {
  return { title, content: html`${paragraphs.map((each) => html`<p>${each}</p>`)}` };
}

function withoutMarks(text: string): string {
  return text.replaceAll("`", "");
}
