import type { ChalkInstance } from "chalk";
import { mask } from "../../contract/mask.ts";
import { toSafeJson, escapeControls } from "./safe-text.ts";
import { isJsonObject } from "../../runtime/json.ts";

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
    ...(body === undefined
      ? []
      : [`> ${toSafeJson(maskBody(JSON.parse(body)), { indented: false })}`]),
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
  const reason = error instanceof Error ? error.message : String(error);
  return style.bold(`< no answer after ${Math.round(tookMs)} ms: ${escapeControls(mask(reason))}`);
}

function formatHeaders(mark: string, headers: Record<string, string>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${mark} ${escapeControls(name)}: ${escapeControls(mask(value))}`,
  );
}

function formatBody(body: string): string {
  const text = escapeControls(mask(body.slice(0, 2 * maxBodyLength)));
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}…`;
}

const plainFields = new Set(["amount", "currency"]);
const textFields = new Set([
  "customer",
  "description",
  "endpoint",
  "events",
  "metadata",
  "overlap_hours",
  "return_url",
  "status",
]);
const plainCardFields = new Set(["exp_month", "exp_year"]);

/**
 * Masks a request's body except for fields known to be harmless, so that a card number under a mistyped name
 * stays hidden. Texts may hold anything, and are searched for card numbers.
 */
export function maskBody(body: unknown): unknown {
  return maskFields(body, (name, value) => {
    if (name === "card") return maskFields(value, maskCardField);
    if (textFields.has(name)) return maskTexts(value);
    return plainFields.has(name) ? value : "…";
  });
}

function maskCardField(name: string, value: unknown): unknown {
  if (name === "number" && typeof value === "string") return `…${value.slice(-4)}`;
  if (name === "holder_name") return maskTexts(value);
  return plainCardFields.has(name) ? value : "…";
}

/** Masks texts, except for phone numbers, which may look like card numbers. */
function maskTexts(value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : "…";
  if (Array.isArray(value)) return value.map(maskTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      mask(name),
      name === "phone" ? field : maskTexts(field),
    ]),
  );
}

function maskFields(value: unknown, maskField: (name: string, value: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [mask(name), maskField(name, field)]),
  );
}
