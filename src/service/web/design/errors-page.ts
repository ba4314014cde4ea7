import { errorCodes, type ErrorCode } from "../../../contract/error.ts";
import { design } from "./design.ts";
import { html, renderDocument, type Html } from "./html.ts";

export const errorsPageStyle = `${design.tokens}${design.base}
body { padding: var(--space-8) var(--space-4); }
main { max-width: 45rem; margin: 0 auto; }
section { border-top: 1px solid var(--line); padding: var(--space-3) 0; }
section:target { border-inline-start: var(--space-1) solid var(--accent); padding-inline-start: var(--space-3); }
code { font-family: ui-monospace, monospace; font-size: .9375em; }
p { margin: var(--space-1) 0; overflow-wrap: anywhere; }
`;

/** The page that every error's `doc_url` leads to: the meaning and the remedy of each code. */
export function renderErrorsPage(statusOf: Record<ErrorCode, number>): string {
  const sections = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { type, meaning, remedy } = errorCodes[code];
    return html`<section id="${code}">
      <h2><code>${code}</code></h2>
      <p>HTTP ${statusOf[code]}, <code>${type}</code></p>
      <p>${renderCode(meaning)}</p>
      <p><strong>What to do:</strong> ${renderCode(remedy)}</p>
    </section>`;
  });
  return renderDocument({
    title: "Errors of the payments API",
    style: errorsPageStyle,
    body: html`<main>
      <h1>Errors</h1>
      <p>
        An error's <code>doc_url</code> leads to its code here. Retry 5xx and 429 answers and
        network failures with exponential backoff; a write always with the
        <code>Idempotency-Key</code> it was sent with first.
      </p>
      ${sections}
    </main>`,
  });
}

/** A text in which code stands between backticks. */
export function renderCode(text: string): Html {
  const [plain, code, ...rest] = text.split("`");
  if (code === undefined) return html`${plain}`;
  return html`${plain}<code>${code}</code>${renderCode(rest.join("`"))}`;
}
