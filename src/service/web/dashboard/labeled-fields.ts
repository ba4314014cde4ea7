import { mask } from "../../../contract/mask.ts";
import { renderFieldAttributes, html, type Html } from "../design/html.ts";

type Labeled = {
  name: string;
  label: Html | string;
  hint?: Html | string | undefined;
  mistake?: string | undefined;
};

/** `input` has the input's other attributes, and its value; `button` stands behind it in its line. */
export function renderField({
  input,
  button,
  ...labeled
}: Labeled & { input: Html; button?: Html }): Html {
  return renderLabeled(labeled, (attributes) => {
    const control = html`<input ${attributes} ${input} />`;
    return button ? html`<div class="with-button">${control} ${button}</div>` : control;
  });
}

/** A typed text as a form may show it again: empty where it holds a card number or a key. */
export function withoutSecrets(typed: string): string {
  return mask(typed) === typed ? typed : "";
}

/** `options` are values and their names. */
export function renderSelect({
  options,
  selected,
  ...labeled
}: Labeled & { options: readonly (readonly [string, string])[]; selected: string }): Html {
  return renderLabeled(
    labeled,
    (attributes) =>
      html`<select ${attributes}>
        ${options.map(([value, text]) => html`<option value="${value}" ${value === selected && html` selected`}>${text}</option>`)}
      </select>`,
  );
}

/** A label and a hint above a control, and its mistake below: the page opens there. */
function renderLabeled(
  { name, label, hint, mistake }: Labeled,
  control: (attributes: Html) => Html,
): Html {
  const isWrong = Boolean(mistake);
  const beside = (["mistake", "hint"] as const).filter((part) =>
    part === "hint" ? hint : isWrong,
  );
  const attributes = renderFieldAttributes(name, beside, { isWrong, isFocused: isWrong });
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`} ${control(attributes)}
    ${mistake && html`<p class="mistake" id="${name}-mistake">${mistake}</p>`}
  </div>`;
}
