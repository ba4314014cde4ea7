import type { ChalkInstance } from "chalk";
import { mask } from "../../contract/mask.ts";
import { requestIdPattern } from "../../contract/field-values.ts";
import { toSafeJson, escapeControls } from "../../runtime/text.ts";

/** The reason why a command failed, always in the shape of an API error. */
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

/**
 * Formats a problem for a person: what happened, what to do next, and where to read on. `isLogged`: the request log may
 * have the request, which is the hint where there is no better one. `target`: the flags that the command to see it
 * needs, quoted for a shell, with a space before each.
 */
export function formatProblem(
  problem: Problem,
  style: ChalkInstance,
  { isLogged = false, target = "" }: { isLogged?: boolean | undefined; target?: string } = {},
): string {
  const { message, hint, param, ...rest } = maskProblem(problem);
  const id = rest.request_id ?? "";
  // A command that is copied into a shell has nothing else of what a service may send.
  const logHint = isLogged && requestIdPattern.test(id) ? `payments logs get ${id}${target}` : null;
  const lines: [string, string | null][] = [
    ["hint", hint ?? logHint],
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
 * Masks keys and card numbers, whether the user mistyped them or a service sent them back. An idempotency key
 * may look like one, but stays whole: repeating the command with another key would pay twice.
 */
function maskProblem(problem: Problem): Problem {
  const named = `--idempotency-key ${problem.idempotency_key}`;
  const cleaned = Object.entries(problem).map(([name, value]) => {
    if (typeof value !== "string" || name === "idempotency_key") return [name, value];
    return [name, value.split(named).map(mask).join(named)];
  });
  return Object.fromEntries(cleaned) as Problem;
}
