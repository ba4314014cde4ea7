import { html, type Html } from "../html.ts";
import { renderFacts, renderNotice, renderSecretField } from "./elements.ts";
import type { View } from "./frame.ts";

type Place = NonNullable<View["place"]>;
type Back = { address: string; text: string };

type Shown = {
  title: string;
  place: Place;
  /** What it is called, and what it is. */
  label: string;
  secret: string;
  /** How long it can be had, and what to do with it. */
  says: Html | string;
  facts: Parameters<typeof renderFacts>[0];
  back: Back;
};

/** The page that shows a secret, this once: it answers the form that made it, and has no address. */
export function renderShownOnce({ title, place, label, secret, says, facts, back }: Shown): View {
  return {
    title,
    place,
    content: html`${renderNotice("good", says)}
      <div class="sheet">${renderSecretField(label, secret)} ${renderFacts(facts)}</div>
      <p><a href="${back.address}">${back.text}</a></p>`,
  };
}

/** The page for a form of such a secret that is sent again, by loading its answer again or by going back. */
export function renderSentBefore({ place, back }: { place: Place; back: Back }): View {
  return {
    title: "Sent before",
    place,
    content: html`<p class="prose">
        This form was sent before, and nothing was made again. What it made was shown that once; if
        you did not keep it, make another one.
      </p>
      <p><a href="${back.address}">${back.text}</a></p>`,
  };
}
