import type { ChalkInstance } from "chalk";
import { mask } from "../contract/mask.ts";
import { safeText } from "./safe-text.ts";
import { json } from "./json.ts";

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
export function problemText(problem: Problem, style: ChalkInstance): string {
  const lines: [string, string | null][] = [
    ["hint", problem.hint],
    ["code", problem.http_status === null ? null : problem.code],
    ["param", problem.param],
    ["request", problem.request_id],
    ["idempotency key", problem.retryable ? problem.idempotency_key : null],
    ["see", problem.doc_url],
  ];
  return [
    `${style.red.bold("Error:")} ${clean(problem.message)}`,
    ...lines.flatMap(([name, value]) =>
      value === null ? [] : [`  ${style.dim(`${name}:`)} ${clean(value)}`],
    ),
  ].join("\n");
}

/** One line of JSON, for scripts. */
export function problemJson(problem: Problem): string {
  const { message, hint, param } = problem;
  return json(
    {
      error: {
        ...problem,
        message: mask(message),
        param: param && mask(param),
        hint: hint && mask(hint),
      },
    },
    { indented: false },
  );
}

/** Neither a key or card number typed in the wrong place nor a control character is repeated. */
function clean(text: string): string {
  return safeText(mask(text));
}
