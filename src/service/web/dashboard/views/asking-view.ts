import { html, type Html } from "../html.ts";
import { renderFacts, renderNotice } from "./elements.ts";
import type { View } from "./frame.ts";

type Asking = Pick<View, "title"> & {
  place: NonNullable<View["place"]>;
  /** Why it was not done when it was asked for before. */
  problem?: string | undefined;
  facts: Parameters<typeof renderFacts>[0];
  /** What will happen. */
  says: Html | string;
  /** Where the form is sent, and what it holds. */
  action: string;
  inputs?: Html;
  button: string;
  /** Only where something ends for good, or at once. */
  isDangerous?: boolean;
  back: { address: string; text: string };
};

/** The page that asks again, and says what it will do, before its button does it. */
export function renderConfirmation(asking: Asking): View {
  const { title, place, problem, facts, says, action, inputs, button, back } = asking;
  return {
    title,
    place,
    content: html`${problem && renderNotice("wrong", problem)}
      <div class="sheet">${renderFacts(facts)}</div>
      <p class="prose">${says}</p>
      <form method="post" action="${action}" class="steps">
        ${inputs}
        <div class="row">
          <button class="${asking.isDangerous ? "dangerous" : "primary"}">${button}</button>
          <a class="quiet" href="${back.address}">${back.text}</a>
        </div>
      </form>`,
  };
}
