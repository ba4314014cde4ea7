import { STATUS_CODES } from "node:http";
import type { FastifyInstance } from "fastify";
import { errorCodes, type ErrorCode } from "../../../contract/error.ts";
import { answeredStatuses, requestMethods } from "../../../contract/field-values.ts";
import { listRequestsQuery, type LoggedRequest } from "../../../contract/logged-request.ts";
import { validate } from "../../../contract/validate.ts";
import { getRequest, listRequests } from "../../requests/list-requests.ts";
import type { Service } from "../../service.ts";
import { renderCode } from "../design/errors-page.ts";
import { html, type Html } from "../design/html.ts";
import {
  renderBadge,
  renderCopyableId,
  renderEmpty,
  renderFacts,
  renderFirstSteps,
  renderId,
  renderShortId,
  renderTime,
  type Facts,
} from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import {
  createTextColumn,
  createTimeColumn,
  readListPage,
  readQuery,
  renderPageLinks,
  renderTable,
  type Column,
  type ListPage,
} from "./list-elements.ts";
import {
  dayFilters,
  listEntries,
  parseFilters,
  renderActiveFilters,
  renderFilterBar,
  toFilteredAddress,
  toListQuery,
  type Filter,
  type FilterBar,
  type FilterDefinition,
  type FilteredList,
} from "./list-filters.ts";
import { toWords } from "./value-words.ts";
import { accountPath, navigation, type Visit, type WithId } from "./visit.ts";

const limit = 25;
const { path: listPath, needs } = navigation.requests;

/** The log of requests, newest first, and each of them; the filters and the cursor stand in the address. */
export function registerRequestsPage(app: FastifyInstance, service: Service): void {
  app.get(`${accountPath}${listPath}`, { config: { needs } }, async ({ visit, url }, reply) => {
    const params = readQuery(url);
    const filters = parseFilters(requestList, params);
    if (filters.some(({ mistake }) => mistake)) {
      const none = { items: [], hasNewer: false, hasOlder: false };
      return sendView(reply, renderRequests(visit, none, filters), 400);
    }
    const page = await readListPage(params, async (cursors) => {
      const query = validate(listRequestsQuery, {
        ...cursors,
        ...toListQuery(requestList, filters),
      });
      return await listRequests(service, visit.scope, { ...query, limit });
    });
    return sendView(reply, renderRequests(visit, page, filters));
  });

  app.get(
    `${accountPath}${listPath}/:id`,
    { config: { needs } },
    async ({ visit, params }: WithId, reply) =>
      sendView(reply, renderRequest(visit, await getRequest(service, visit.scope, params.id))),
  );
}

export function renderRequests(
  visit: Visit,
  page: ListPage<LoggedRequest>,
  filters: readonly Filter[],
): View {
  const hasNone = page.items.length + filters.length === 0 && !page.hasNewer;
  return {
    title: "Requests",
    section: "requests",
    content: html`<p class="quiet-text">
        API requests that changed something, were refused or failed. Reads that succeed are not
        logged.
      </p>
      ${!hasNone && renderFilterBar(visit, { list: requestList, filters }, filterBar)}
      ${renderActiveFilters(visit, requestList, filters)} ${renderList(visit, page, filters)}`,
  };
}

const filterBar: FilterBar<RequestFilterName> = {
  search: { name: "payment", label: "Requests of a payment", placeholder: "Payment ID (pay_…)" },
  choice: { name: "status", none: "All statuses" },
  folded: [
    ["Date", ["from", "to"]],
    ["More", ["method", "idempotency_key"]],
  ],
};

function renderList(
  visit: Visit,
  page: ListPage<LoggedRequest>,
  filters: readonly Filter[],
): Html | false {
  if (page.items.length > 0) {
    return html`${renderTable("Requests", buildRequestColumns(visit), page.items)}
    ${renderPageLinks("More requests", page, visit.addressOf(listPath), listEntries(filters))}`;
  }
  if (filters.some(({ mistake }) => mistake)) return false;
  return filters.length > 0 || page.hasNewer
    ? renderEmpty("No matching requests", html`<p>Change the filters, or remove them.</p>`)
    : renderEmpty(
        `No ${visit.mode} requests yet`,
        html`<p class="prose">
            A request is listed seconds after it was sent, with its status, its error and its
            idempotency key.
          </p>
          ${renderFirstSteps(visit)}`,
      );
}

/** The statuses to choose from; an address may have others, such as `404,409`. */
const statusWords = new Map<string, string>([
  ["2xx", "Succeeded (2xx)"],
  ["4xx,5xx", "All failed (4xx, 5xx)"],
  ["4xx", "Refused (4xx)"],
  ["5xx", "Errors of the service (5xx)"],
  ...answeredStatuses.map(
    (status) => [String(status), `${status} ${STATUS_CODES[status]}`] as const,
  ),
]);

/** In the order in which the address has them. */
const definitions = {
  status: {
    label: "Status",
    parameter: "status",
    mistake: "Enter a status such as 404, or classes such as 4xx,5xx.",
    describe: (value) => statusWords.get(value) ?? value,
    choices: [...statusWords.keys()],
  },
  method: {
    label: "Method",
    parameter: "method",
    mistake: "Choose a method.",
    choices: requestMethods,
  },
  payment: {
    label: "Payment",
    parameter: "payment",
    mistake: "Enter the whole ID of a payment, such as pay_0199….",
  },
  idempotency_key: {
    label: "Idempotency key",
    parameter: "idempotency_key",
    mistake: "Enter a whole key, without spaces.",
  },
  ...dayFilters,
} as const satisfies Record<string, FilterDefinition>;

type RequestFilterName = keyof typeof definitions;

/** The logged requests of an account and mode. */
const requestList: FilteredList = {
  path: "/requests",
  names: Object.keys(definitions),
  define: (name) => definitions[name as RequestFilterName],
  accepts: (query) => listRequestsQuery.safeParse(query).success,
  cardMistake: "Do not enter a card number here.",
};

/** The address of a payment's requests. */
export function toPaymentsRequests(visit: Visit, payment: string): string {
  return toFilteredAddress(visit, requestList.path, [{ name: "payment", value: payment }]);
}

/** The columns of requests, the newest of which are on a payment's page, too. */
export function buildRequestColumns(visit: Visit): Column<LoggedRequest>[] {
  return [
    {
      title: "Request",
      isText: true,
      cell: ({ id, method, path }) =>
        html`<a
          class="text"
          href="${visit.addressOf(`${listPath}/${id}`)}"
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
function shortenPath(path: string): Html {
  const parts = path.split("/").slice(1);
  return parts.reduce(
    (before, part) => html`${before}/${idPattern.test(part) ? renderShortId(part) : part}`,
    html``,
  );
}

function renderHttpStatus(status: number): Html {
  return renderBadge(String(status), status < 300 ? "good" : status < 500 ? "waiting" : "wrong");
}

/** In whole milliseconds, at least one. */
function formatDuration({ duration_ms: tookMs }: LoggedRequest): string {
  return `${Math.max(1, Math.round(tookMs))} ms`;
}

/** One logged request. */
export function renderRequest(visit: Visit, request: LoggedRequest): View {
  return {
    title: "Request",
    heading: html`<span class="visually-hidden">Request </span
      ><span class="text" title="${request.path}"
        >${request.method} ${shortenPath(request.path)}</span
      >
      ${renderHttpStatus(request.status)}`,
    section: "requests",
    isNarrow: true,
    back: { address: visit.addressOf(listPath), text: "All requests" },
    content: html`<div class="parts under-head">
        ${renderTime(request.created)} ${renderCopyableId(request.id)}
      </div>
      <div class="sheet">
        <h2>Details</h2>
        ${renderFacts(listFacts(visit, request))}
      </div>`,
  };
}

function listFacts(visit: Visit, request: LoggedRequest): Facts {
  const { method, error, payment, idempotency_key: key } = request;
  return [
    ["Time", renderTime(request.created)],
    ["Method", method],
    ["Path", renderPath(request.path)],
    ["Error", error && renderError(error.code)],
    ["Parameter", error?.param ? html`<code><bdi>${error.param}</bdi></code>` : null],
    ["What to do", error && renderRemedy(error)],
    ["Duration", formatDuration(request)],
    [
      "Payment",
      payment &&
        html`<a href="${visit.addressOf(`/payments/${payment}`)}">${renderId(payment)}</a>`,
    ],
    ["Idempotency key", key && html`<code><bdi>${key}</bdi></code>`],
    ["Replayed", request.replayed && "Yes: the stored response was sent again"],
    ["API key", html`<bdi>${request.key.name}</bdi><br />${renderId(request.key.id)}`],
  ];
}

/** The meaning of an error's code, and the code; of another version's code that alone. */
function renderError(code: string): Html {
  const meaning = isErrorCode(code) && renderCode(errorCodes[code].meaning);
  return html`${meaning} <code class="small quiet-text">${code}</code>`;
}

/** The remedy of an error code. Some remedies refer to the response's message, which the log does not hold. */
function renderRemedy({ code, param }: NonNullable<LoggedRequest["error"]>): Html | false {
  if (code === "parameter_invalid") {
    return html`Correct ${param ? "this parameter" : "the request"}, and send it again. The response
    says what is wrong with it; its message is not logged.`;
  }
  return isErrorCode(code) && renderCode(errorCodes[code].remedy);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** A path, which is broken before an id and not in it. */
function renderPath(whole: string): Html {
  const [, ...segments] = whole.split("/");
  const shown = segments.reduce(
    (before, each) => html`${before}/<wbr />${idPattern.test(each) ? renderId(each) : each}`,
    html``,
  );
  return html`<code>${shown}</code>`;
}
