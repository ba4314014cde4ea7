import type { LoggedRequest } from "../../../contract/logged-request.ts";
import { html, type Html } from "../design/html.ts";
import { renderBadge, renderShortId } from "./elements.ts";
import { createTextColumn, createTimeColumn, type Column } from "./table-elements.ts";
import { toWords } from "./value-words.ts";
import { navigation, type Visit } from "./visit.ts";

/** The columns of requests, the newest of which are on a payment's page, too. */
export function buildRequestColumns(visit: Visit): Column<LoggedRequest>[] {
  return [
    {
      title: "Request",
      isText: true,
      cell: ({ id, method, path }) =>
        html`<a
          class="text"
          href="${visit.addressOf(`${navigation.requests.path}/${id}`)}"
          title="${method} ${path}"
          >${method} ${shortenPath(path)}</a
        >`,
      beneath: createTextColumn("API key", ({ key }) => key.name),
    },
    {
      title: "Status",
      cell: ({ status, error }) =>
        html`${renderHttpStatus(status)}
        ${error && html`<span class="reason" title="${error.code}">${toWords(error.code)}</span>`}`,
    },
    createTimeColumn("Time", ({ created }) => created, { hasLabel: false }),
    { title: "Duration", isNumber: true, cell: formatDuration },
  ];
}

const idPattern = /^[a-z]+_[\da-f-]{36}$/;

/** A path with the end of each id. */
export function shortenPath(path: string): Html {
  const parts = path.split("/").slice(1);
  return parts.reduce(
    (before, part) => html`${before}/${idPattern.test(part) ? renderShortId(part) : part}`,
    html``,
  );
}

export function renderHttpStatus(status: number): Html {
  return renderBadge(String(status), status < 300 ? "good" : status < 500 ? "waiting" : "wrong");
}

/** In whole milliseconds, at least one. */
export function formatDuration({ duration_ms: tookMs }: LoggedRequest): string {
  return `${Math.max(1, Math.round(tookMs))} ms`;
}
