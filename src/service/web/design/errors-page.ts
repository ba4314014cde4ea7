import { errorCodes, type ErrorCode } from "../../../contract/error.ts";
import { design } from "./design.ts";
import { escapeHtml } from "./escape-html.ts";

export const errorsPageStyle = `${design.tokens}${design.base}
body { padding: var(--space-8) var(--space-4); }
main { max-width: 45rem; margin: 0 auto; }
section { border-top: 1px solid var(--line); padding: var(--space-3) 0; }
section:target { border-inline-start: var(--space-1) solid var(--accent); padding-inline-start: var(--space-3); }
code { font-family: ui-monospace, monospace; font-size: .9375em; }
p { margin: var(--space-1) 0; overflow-wrap: anywhere; }
`;

/** The page that every error's `doc_url` leads to: what each code means, and what to do. */
export function renderErrorsPage(statusOf: Record<ErrorCode, number>): string {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors of the payments API</title>
<style>${errorsPageStyle}</style>
</head>
<body>
<main>
<h1>Errors</h1>
<p>An error's <code>doc_url</code> leads to its code here. Retry 5xx and 429 answers and network failures with exponential backoff; a write always with the <code>Idempotency-Key</code> it was sent with first.</p>
${codes.map((code) => section(code, statusOf[code])).join("\n")}
</main>
</body>
</html>
`;
}

function section(code: ErrorCode, status: number): string {
  const { type, meaning, remedy } = errorCodes[code];
  return `<section id="${code}">
<h2><code>${code}</code></h2>
<p>HTTP ${status}, <code>${type}</code></p>
<p>${withCode(meaning)}</p>
<p><strong>What to do:</strong> ${withCode(remedy)}</p>
</section>`;
}

function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
