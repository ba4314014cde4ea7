import type { FastifyInstance } from "fastify";
import { errorCodes, type ErrorCode } from "../../../contract/error.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import type { Service } from "../../use-cases/service.ts";
import { renderCode } from "../design/errors-page.ts";
import { html, type Html } from "../design/html.ts";
import { renderCopyableId, renderFacts, renderId, renderTime, type Facts } from "./elements.ts";
import { formatDuration, renderHttpStatus, shortenPath } from "./request-columns.ts";
import { sendView, type View } from "./frame.ts";
import { accountPath, navigation, type Visit, type WithId } from "./visit.ts";

const { path, needs } = navigation.requests;

/** One logged request. */
export function registerRequestDetailsPage(app: FastifyInstance, service: Service): void {
  app.get(
    `${accountPath}${path}/:id`,
    { config: { needs } },
    async ({ visit, params }: WithId, reply) =>
      sendView(reply, renderRequest(visit, await service.getRequest(visit.scope, params.id))),
  );
}

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
    back: { address: visit.addressOf(path), text: "All requests" },
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

const idPattern = /^[a-z]+_[\da-f-]{36}$/;

/** A path, which is broken before an id and not in it. */
function renderPath(whole: string): Html {
  const [, ...segments] = whole.split("/");
  const shown = segments.reduce(
    (before, each) => html`${before}/<wbr />${idPattern.test(each) ? renderId(each) : each}`,
    html``,
  );
  return html`<code>${shown}</code>`;
}
