import type { ChalkInstance } from "chalk";
import type { LoggedRequest } from "../../contract/logged-request.ts";
import { formatLocalTime } from "./format.ts";
import { colorHttpStatus, formatTook } from "./request-resource.ts";
import { escapeControls } from "../../runtime/safe-text.ts";

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
