import { html } from "../html.ts";
import type { View } from "./frame.ts";

/** The page for whoever is not signed in: it says how to get a link. */
export function signInView(): View {
  return {
    title: "Sign in",
    content: html`<p>
        You are not signed in. There are no passwords here: a link signs you in, once, and works for
        15 minutes.
      </p>
      <div class="sheet">
        <h2>You have been here before</h2>
        <p>
          Ask an admin of your account for a fresh link, on the page Team, or whoever runs the
          service:
        </p>
        <p><code>payments operators invite --id op_…</code></p>
      </div>
      <div class="sheet">
        <h2>You run the service</h2>
        <p>This makes a link for you, and the first admin where there is none yet:</p>
        <p><code>payments dashboard</code></p>
      </div>`,
  };
}
