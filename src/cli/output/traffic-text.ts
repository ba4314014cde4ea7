import type { ChalkInstance } from "chalk";
import { mask, maskBody, maskTexts } from "../../contract/mask.ts";
import { toSafeJson, escapeControls } from "../../runtime/text.ts";
import { tryParseJson } from "../../runtime/json.ts";

type Request = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
};
type Response = { status: number; headers: Record<string, string>; body: string };

const maxBodyLength = 20_000;

/** A request as `--debug` shows it, its key and card masked. */
export function formatRequest(
  { method, url, headers, body }: Request,
  style: ChalkInstance,
): string {
  const lines = [
    style.bold(`> ${method} ${escapeControls(mask(url))}`),
    ...formatHeaders(">", headers),
    ...(body === undefined ? [] : [`> ${formatRequestBody(body)}`]),
  ];
  return lines.join("\n");
}

/** A response as `--debug` shows it. */
export function formatResponse(
  { status, headers, body }: Response,
  tookMs: number,
  style: ChalkInstance,
): string {
  const lines = [
    style.bold(`< ${status} after ${Math.round(tookMs)} ms`),
    ...formatHeaders("<", headers),
    ...(body === "" ? [] : [`< ${formatBody(body)}`]),
  ];
  return lines.join("\n");
}

/** A request without a response, as `--debug` shows it. */
export function formatFailure(error: unknown, tookMs: number, style: ChalkInstance): string {
  const reason = Error.isError(error) ? error.message : String(error);
  return style.bold(`< no answer after ${Math.round(tookMs)} ms: ${escapeControls(mask(reason))}`);
}

/** The form of a payment page, which holds a card, is not shown. */
function formatRequestBody(body: string): string {
  const value = tryParseJson(body);
  return value === undefined ? "…" : toSafeJson(maskBody(value), { indented: false });
}

function formatHeaders(mark: string, headers: Record<string, string>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${mark} ${escapeControls(name)}: ${escapeControls(mask(value))}`,
  );
}

function formatBody(body: string): string {
  const value = tryParseJson(body);
  const text =
    value === undefined
      ? escapeControls(mask(body.slice(0, 2 * maxBodyLength)))
      : toSafeJson(maskTexts(value), { indented: false });
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}…`;
}
