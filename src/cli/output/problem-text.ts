import type { ChalkInstance } from "chalk";
import { mask } from "../../contract/mask.ts";
import { toSafeJson, escapeControls } from "./safe-text.ts";

/** Why a command failed: the API's error where it is one, in the same shape where it is not. */
export type Problem = {
  type: string;
  code: string;
  message: string;
  param: string | null;
  decline_code: string | null;
  doc_url: string | null;
  request_id: string | null;
  http_status: number | null;
  retryable: boolean;
  idempotency_key: string | null;
  hint: string | null;
};

/** What happened, what to do next, and where to read on. */
export function formatProblem(problem: Problem, style: ChalkInstance): string {
  const { message, hint, param, ...rest } = maskProblem(problem);
  const lines: [string, string | null][] = [
    ["hint", hint],
    ["code", rest.http_status === null ? null : rest.code],
    ["param", param],
    ["request", rest.request_id],
    ["idempotency key", rest.retryable ? rest.idempotency_key : null],
    ["see", rest.doc_url],
  ];
  return [
    `${style.red.bold("Error:")} ${escapeControls(message)}`,
    ...lines.flatMap(([name, value]) =>
      value === null ? [] : [`  ${style.dim(`${name}:`)} ${escapeControls(value)}`],
    ),
  ].join("\n");
}

/** One line of JSON, for scripts. */
export function toProblemJson(problem: Problem): string {
  return toSafeJson({ error: maskProblem(problem) }, { indented: false });
}

/**
 * No key or card number is repeated, whether it was typed in the wrong place or a service sent it back.
 * An idempotency key may look like one, but stays as it is: with another one, repeating the command would pay
 * twice.
 */
function maskProblem(problem: Problem): Problem {
  const named = `--idempotency-key ${problem.idempotency_key}`;
  const cleaned = Object.entries(problem).map(([name, value]) => {
    if (typeof value !== "string" || name === "idempotency_key") return [name, value];
    return [name, value.split(named).map(mask).join(named)];
  });
  return Object.fromEntries(cleaned) as Problem;
}
