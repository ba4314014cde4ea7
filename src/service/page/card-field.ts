import { foreignText } from "./escape-html.ts";
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

/** A label above its input, a hint before it, and behind it what is wrong with it. */
export function fieldHtml(field: CardField, mistakes: PageMistakes): string {
  const { name, label, beside = "", hint } = field;
  const mistake = mistakes[name];
  return `<div class="field">
<div class="above"><label for="${name}">${label}</label>${beside}${hint ? `<span class="hint" id="${name}-hint">${hint}</span>` : ""}</div>
<input ${attributes(field, mistakes)}>
${mistake ? `<p class="mistake" id="${name}-mistake">${foreignText(mistake)}</p>\n` : ""}</div>`;
}

/** The first field that has to be corrected, in the order they are read. */
export function firstMistake(mistakes: PageMistakes): keyof PageMistakes | undefined {
  return (["number", "expiry", "cvc", "name"] as const).find((name) => mistakes[name]);
}

function attributes({ name, hint, input }: CardField, mistakes: PageMistakes): string {
  const described = [mistakes[name] && `${name}-mistake`, hint && `${name}-hint`].filter(Boolean);
  return [
    `id="${name}" name="${name}" type="text" spellcheck="false" ${input}`,
    described.length > 0 && `aria-describedby="${described.join(" ")}"`,
    mistakes[name] && 'aria-invalid="true"',
    firstMistake(mistakes) === name && "autofocus",
  ]
    .filter(Boolean)
    .join(" ");
}
