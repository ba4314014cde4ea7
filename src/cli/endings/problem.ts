import {
  ApiError,
  InterruptedError,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "../../client/errors.ts";
import { SettingsError } from "../settings/settings-error.ts";
import { CommandError, exitCodeOfStatus, exitCodes, type ExitCode } from "./exit-codes.ts";
import { exitCodeOf, type Interruption } from "./interruption.ts";
import type { Problem } from "../output/problem-text.ts";

export type Failure = { exitCode: number; problem: Problem };

/** Every error that a command can end with, as an exit code and what is told about it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof PaymentsError) return failureOfCall(error);
  if (error instanceof CommandError) {
    const code = error.exitCode === exitCodes.saidNo ? "canceled" : codeOf(error.exitCode);
    return failure(error.exitCode, {
      code,
      message: error.message,
      decline_code: error.declineCode,
      hint: error.hint ?? null,
    });
  }
  if (error instanceof SettingsError) {
    const exitCode = {
      usage: exitCodes.usage,
      key: exitCodes.key,
      storage: exitCodes.unavailable,
    }[error.kind];
    return failure(exitCode, {
      code: codeOf(exitCode),
      message: error.message,
      hint: error.hint ?? null,
    });
  }
  if (!(error instanceof Error)) return fault(String(error));
  if (error.name === "Unavailable") {
    return failure(exitCodes.unavailable, { code: "unavailable", message: error.message });
  }
  return fault(error.message);
}

function failureOfCall(error: PaymentsError): Failure {
  const common = {
    message: error.message,
    retryable: error.retryable,
    idempotency_key: error.idempotencyKey ?? null,
  };
  if (error instanceof ApiError) {
    return failure(exitCodeOfStatus(error.status, error.code), {
      ...common,
      type: error.type,
      code: error.code,
      param: error.param,
      decline_code: error.declineCode,
      doc_url: error.docUrl,
      request_id: error.requestId,
      http_status: error.status,
      hint: outcomeHint(error) ?? (error.status === 401 ? otherKeyHint : null),
    });
  }
  if (error instanceof InterruptedError) {
    const interruption = error.cause as Interruption;
    const unclear = error.outcomeUnknown && interruption.asked;
    return failure(unclear ? exitCodes.unavailable : exitCodeOf(interruption), {
      ...common,
      ...(!error.outcomeUnknown && { message: "Interrupted." }),
      code: "interrupted",
      hint: outcomeHint(error),
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
    const known = status >= 400 && [401, 403, 429].includes(status);
    return failure(known ? exitCodeOfStatus(status, "") : exitCodes.unavailable, {
      ...common,
      code: "unexpected_answer",
      http_status: status,
      hint: outcomeHint(error) ?? "Check the base URL.",
    });
  }
  return failure(exitCodes.unavailable, {
    ...common,
    code: "connection_failed",
    hint: outcomeHint(error) ?? "Check the base URL and the network.",
  });
}

const otherKeyHint =
  "Log in again with payments login, or give another key in PAYMENTS_API_KEY or with --api-key-file.";

/** After a write without a clear answer, the one safe way on. */
function outcomeHint(error: PaymentsError): string | null {
  if (!error.outcomeUnknown) return null;
  return `The outcome is unknown. Run the same command with --idempotency-key ${error.idempotencyKey}: nothing happens twice.`;
}

function failure(
  exitCode: number,
  { message, ...told }: Partial<Problem> & { message: string },
): Failure {
  const problem = {
    type: "cli_error",
    code: "fault",
    message,
    param: null,
    decline_code: null,
    doc_url: null,
    request_id: null,
    http_status: null,
    retryable: false,
    idempotency_key: null,
    hint: null,
    ...told,
  };
  return { exitCode, problem };
}

function fault(message: string): Failure {
  return failure(exitCodes.fault, {
    message: `A fault of this program: ${message}`,
    hint: "Please report it, with what you typed but without keys or card numbers.",
  });
}

function codeOf(exitCode: ExitCode): string {
  switch (exitCode) {
    case exitCodes.key:
      return "key";
    case exitCodes.notAsExpected:
      return "not_as_expected";
    case exitCodes.stillPending:
      return "still_pending";
    case exitCodes.unavailable:
      return "unavailable";
    case exitCodes.notFound:
      return "not_found";
    case exitCodes.conflict:
      return "conflict";
    default:
      return "usage";
  }
}
