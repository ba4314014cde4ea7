import { isolateBidi } from "../design/escape-html.ts";
import type { PageMistakes } from "./page-view.ts";

export type CardField = {
  name: keyof PageMistakes;
  label: string;
  /** What stands at the end of the label's line. */
  beside?: string;
  hint?: string;
  /** The attributes of the input that are its own. */
  input: string;
};

/** A label above its input, a hint before it, and behind it what is wrong with it, also as the script finds it. */
export function renderCardField(field: CardField, mistakes: PageMistakes): string {
  const { name, label, beside = "", hint } = field;
  const mistake = mistakes[name] ?? "";
  return `<div class="field">
<div class="above"><label for="${name}">${label}</label>${beside}${hint ? `<span class="hint" id="${name}-hint">${hint}</span>` : ""}</div>
<input ${attributes(field, mistakes)}>
<p class="mistake" id="${name}-mistake" aria-live="polite">${isolateBidi(mistake)}</p>
</div>`;
}

/** The first field that has to be corrected, in the order they are read. */
export function findFirstMistake(mistakes: PageMistakes): keyof PageMistakes | undefined {
  return (["number", "expiry", "cvc", "name"] as const).find((name) => mistakes[name]);
}

function attributes({ name, hint, input }: CardField, mistakes: PageMistakes): string {
  return [
    `id="${name}" name="${name}" type="text" spellcheck="false" ${input}`,
    `aria-describedby="${name}-mistake${hint ? ` ${name}-hint` : ""}"`,
    mistakes[name] && 'aria-invalid="true"',
    findFirstMistake(mistakes) === name && "autofocus",
  ]
    .filter(Boolean)
    .join(" ");
}
