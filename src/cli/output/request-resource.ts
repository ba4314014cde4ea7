import type { ChalkInstance } from "chalk";
import { requestFields } from "../../contract/responses.ts";
import type { LoggedRequest } from "../../contract/logged-request.ts";
import { requestIdPattern } from "../../contract/field-values.ts";
import { escapeControls } from "../../runtime/text.ts";
import { colorMode, formatLocalTime } from "./style.ts";
import type { Resource } from "./resource.ts";

export const requestResource: Resource<LoggedRequest> = {
  name: "request",
  one: "a request",
  many: "requests",
  idPattern: requestIdPattern,
  idForm: "req_0199…",
  shownBy: "payments logs list",
  fields: requestFields,
  someFields: "id,status,error.code",
  details: (request) => [
    ["Request", request.id],
    ["Method", request.method],
    ["Path", request.path],
    ["Status", String(request.status), colorHttpStatus],
    ["Error", request.error?.code],
    ["Parameter", request.error?.param],
    ["Took", formatTook(request)],
    ["Payment", request.payment],
    ["Idempotency key", request.idempotency_key],
    ["Replayed", request.replayed ? "yes" : null],
    ["Key", `${request.key.name} (${request.key.id})`],
    ["Mode", request.livemode ? "live" : "test", colorMode],
    ["Created", formatLocalTime(request.created)],
  ],
  overflow: "cut",
  columns: [
    { title: "ID", text: ({ id }) => id },
    { title: "STATUS", text: ({ status }) => String(status), paint: colorHttpStatus },
    { title: "METHOD", text: ({ method }) => method },
    { title: "PATH", text: ({ path }) => path, minWidth: "/v1/payments/pay_0199…".length },
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    { title: "ERROR", text: ({ error }) => error?.code ?? "", minWidth: "parameter_inv…".length },
    { title: "TOOK", text: formatTook, isRight: true },
    { title: "KEY", text: ({ key }) => key.name, minWidth: 8 },
    { title: "PAYMENT", text: ({ payment }) => payment ?? "", minWidth: "pay_0199…".length },
  ],
};

const [methodWidth, tookWidth] = ["DELETE".length, "1000.0 ms".length];

/** Formats a request as one line, for a list that grows. */
export function formatRequestLine(request: LoggedRequest, style: ChalkInstance): string {
  const { id, created, method, path, status, error } = request;
  return [
    style.dim(formatLocalTime(created)),
    colorHttpStatus(style, String(status)),
    escapeControls(method).padEnd(methodWidth),
    formatTook(request).padStart(tookWidth),
    escapeControls(id),
    escapeControls(path),
    ...(error ? [escapeControls(error.code)] : []),
  ].join("  ");
}

function colorHttpStatus(style: ChalkInstance, text: string): string {
  if (text.startsWith("2")) return style.green(text);
  return text.startsWith("5") ? style.red(text) : style.yellow(text);
}

function formatTook({ duration_ms: tookMs }: LoggedRequest): string {
  return `${tookMs} ms`;
}
