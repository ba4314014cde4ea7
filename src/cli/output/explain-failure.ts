import type { ChalkInstance } from "chalk";
import {
  ApiError,
  CheckoutError,
  ConnectionError,
  InterruptedError,
  ModeMismatchError,
  PaymentsError,
  ReceiverError,
  UnexpectedAnswerError,
} from "../../client/errors.ts";
import { requestIdPattern } from "../../contract/field-values.ts";
import { mask } from "../../contract/mask.ts";
import {
  ConfigError,
  PermanentError,
  type RefusalCode,
  Unavailable,
} from "../../runtime/failures.ts";
import { escapeControls, toSafeJson } from "../../runtime/text.ts";
import { CommandError, StoppedRun, UnclearWrite } from "./command-error.ts";
import { type ExitReason, exitCodes } from "./exit-codes.ts";
import { Interruption } from "./interruption.ts";

/** `isLogged`: the request log may have the request that failed. */
export type Failure = { exitCode: number; problem: Problem; isLogged?: boolean };

/** Turns every error that a command can end with into an exit code and a description. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PaymentsError) return describeCallFailure(error);
  if (error instanceof UnclearWrite) {
    const described = describeCallFailure(error.cause);
    const hint = outcomeHint(error.cause, `${error.replacement} `);
    return { ...described, problem: { ...described.problem, hint } };
  }
  if (error instanceof StoppedRun) {
    const { cause } = error;
    const { problem, ...failed } = toFailure(cause);
    // The hint of an unknown outcome names the idempotency key of one write.
    const own = cause instanceof PaymentsError && cause.outcomeUnknown ? null : problem.hint;
    const hint = own === null ? error.hint : `${own} ${error.hint}`;
    return { ...failed, problem: { ...problem, idempotency_key: null, hint } };
  }
  if (error instanceof CommandError) {
    const { ending, message, declineCode, hint = null } = error;
    return failBy(ending, { message, decline_code: declineCode, hint });
  }
  if (error instanceof ConfigError || error instanceof Unavailable) {
    const { message, hint = null } = error;
    return failBy(error instanceof ConfigError ? "usage" : "unavailable", { message, hint });
  }
  if (error instanceof PermanentError) {
    const { code, message, hint = null } = error;
    return failure(exitCodes[endingOfRefusal[code]], { code, message, hint });
  }
  if (error instanceof Interruption) {
    const { message, hint } = error;
    return failure(error.exitCode, { code: "interrupted", message, hint });
  }
  const message = Error.isError(error) ? error.message : String(error);
  return failBy("fault", {
    message: `Internal error: ${message}`,
    hint: "Please report it, with what you typed but without keys or card numbers.",
  });
}

function describeCallFailure(error: PaymentsError): Failure {
  const common = {
    message: error.message,
    retryable: error.retryable,
    idempotency_key: error.idempotencyKey ?? null,
  };
  if (error instanceof ApiError) {
    const failed = failure(exitCodes[getEndingOfStatus(error.status, error.code)], {
      ...common,
      type: error.type,
      code: error.code,
      param: error.param,
      decline_code: error.declineCode,
      doc_url: error.docUrl || null,
      request_id: error.requestId || null,
      http_status: error.status,
      hint: outcomeHint(error) ?? describeRemedy(error),
    });
    return { ...failed, isLogged: error.isLogged };
  }
  if (error instanceof InterruptedError) {
    const interruption = error.cause as Interruption;
    const isUnclear = error.outcomeUnknown && interruption.hasPrompted;
    return failure(isUnclear ? exitCodes.unavailable : interruption.exitCode, {
      ...common,
      ...(!error.outcomeUnknown && { message: interruption.message }),
      code: "interrupted",
      hint: outcomeHint(error),
    });
  }
  if (error instanceof CheckoutError) {
    return failure(exitCodes[endingOfPage[error.reason]], {
      ...common,
      code: `page_${error.reason}`,
    });
  }
  if (error instanceof ModeMismatchError) {
    return failure(exitCodes.key, {
      ...common,
      code: "mode_mismatch",
      hint: "Do not trust this service: check the base URL and the key.",
    });
  }
  if (error instanceof UnexpectedAnswerError) {
    const { status } = error;
    const isKnown = [401, 403, 429].includes(status);
    return failure(exitCodes[isKnown ? getEndingOfStatus(status, "") : "unavailable"], {
      ...common,
      code: "unexpected_answer",
      http_status: status,
      hint: outcomeHint(error) ?? (status < 500 ? "Check the base URL." : proxyHint),
    });
  }
  if (error instanceof ReceiverError) {
    const hint = "Start the receiver, or correct its address or --effect.";
    return failure(exitCodes.unavailable, { ...common, code: "receiver_unreachable", hint });
  }
  const isRefusedHere = error instanceof ConnectionError && error.nothingListens;
  return failure(exitCodes.unavailable, {
    ...common,
    code: "connection_failed",
    hint: outcomeHint(error) ?? (isRefusedHere ? nothingListensHint : networkHint),
  });
}

const networkHint = "Check the base URL and the network.";
const nothingListensHint =
  "Nothing listens there. Start the service (payments sandbox, or payments serve), or use another one: in PAYMENTS_BASE_URL or with --base-url, or by payments logout where a login leads there.";

const endingOfPage: Record<CheckoutError["reason"], ExitReason> = {
  missing: "not_found",
  none: "usage",
  live: "usage",
  closed: "conflict",
  refused: "usage",
};

const endingOfRefusal: Record<RefusalCode, ExitReason> = {
  operator_missing: "not_found",
  account_missing: "not_found",
  not_allowed: "key",
  last_admin: "conflict",
};

/** Maps an HTTP status that is no success to the exit reason. */
function getEndingOfStatus(status: number, code: string): ExitReason {
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "not_found";
  if (status === 409 || /^(?:payment|refund)_/.test(code)) return "conflict";
  if (status === 429) return "rate_limited";
  return status >= 400 && status < 500 ? "usage" : "unavailable";
}

/**
 * Adds the remedy that the service's own message cannot give: the service knows no commands, and a program that reads
 * the error sees no header.
 */
function describeRemedy({ status, code, message, retryAfterMs }: ApiError): string | null {
  if (status === 401) return otherKeyHint;
  if (status === 403) return grantHint;
  if (status === 429 && retryAfterMs !== undefined) {
    return `Wait ${Math.ceil(retryAfterMs / 1000)} s (Retry-After), then run the same command again.`;
  }
  // A service that knows the name that was meant is not too old for it.
  if (code === "parameter_unknown" && !message.includes("You may mean")) return olderServiceHint;
  return code === "endpoint_not_found" ? otherPathHint : null;
}

const otherPathHint =
  "Check the base URL, which is without /v1. A service of an older version may not have this path yet.";

const olderServiceHint = "A service of an older version may not know this parameter yet.";

const otherKeyHint =
  "Log in again with payments login, or give another key in PAYMENTS_API_KEY or with --api-key-file, and its service in PAYMENTS_BASE_URL. payments whoami shows both.";

export const grantHint =
  "payments whoami shows what this key may do; payments keys create makes another one.";

const proxyHint =
  "A proxy may respond for a service that is down: try again later. If it goes on, check the base URL.";

/** Tells the user how to retry a write safely after no clear response. */
function outcomeHint(error: PaymentsError, words = ""): string | null {
  if (!error.outcomeUnknown) return null;
  if (error.idempotencyKey === undefined)
    return "The payment may have been made: payments list shows it.";
  return `The outcome is unknown. Run the same command with ${words}--idempotency-key ${error.idempotencyKey}: nothing happens twice.`;
}

function failBy(ending: ExitReason, about: Partial<Problem> & { message: string }): Failure {
  return failure(exitCodes[ending], { code: ending, ...about });
}

function failure(
  exitCode: number,
  { code, message, ...more }: Partial<Problem> & { code: string; message: string },
): Failure {
  const problem = {
    type: "cli_error",
    code,
    message,
    param: null,
    decline_code: null,
    doc_url: null,
    request_id: null,
    http_status: null,
    retryable: false,
    idempotency_key: null,
    hint: null,
    ...more,
  };
  return { exitCode, problem };
}

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
