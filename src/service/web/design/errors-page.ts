import { errorCodes, type ErrorCode } from "../../../contract/error.ts";
import { html, renderDocument, type Html } from "./html.ts";
import { readAssets } from "./pages.ts";

export const errorsPageStyle = readAssets(
  "design/tokens.css",
  "design/base.css",
  "design/errors-page.css",
);

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
