import { expect } from "vitest";
import type { Answer } from "../client/scripted-server.ts";
import { calls, idempotencyKey, isWrite, runCall, type Call } from "./every-call.ts";
import { parseError, type Ran } from "./run-payments.ts";

/** The documented form of a failed call's error, without its message. */
export type Promised = {
  exitCode: number;
  code: string;
  http_status: number | null;
  retryable: boolean;
  /** Whether a write may have happened anyway. */
  unclear: boolean;
  /** Whether anything was sent; otherwise the error of a write has no idempotency key. */
  isSent?: boolean;
  /** The hint, where the outcome is known. */
  hint: string | null;
};

const fields = [
  "type",
  "code",
  "message",
  "param",
  "decline_code",
  "doc_url",
  "request_id",
  "http_status",
  "retryable",
  "idempotency_key",
  "hint",
];
const outcomeUnknown = `The outcome is unknown. Run the same command with --idempotency-key ${idempotencyKey}: nothing happens twice.`;

/**
 * Makes calls (create, refund, and in turn list or get) against these responses, and expects the documented
 * error of each as JSON, and of one of them as text. Each is attempted once. Returns the errors.
 */
export async function expectSameErrors(
  answerTo: (call: Call) => Answer,
  args: string[],
  turn: number,
  promised: Promised,
): Promise<Record<string, unknown>[]> {
  const textCall = calls[turn % calls.length] ?? "list";
  const expected = ["create", "refund", isWrite(textCall) ? reads[turn % 2] : textCall] as Call[];
  const textRun = runCall(textCall, answerTo(textCall), ...args);
  const errors = await Promise.all(
    expected.map(async (call) => {
      const jsonRun = await runCall(call, answerTo(call), "--json", ...args);
      const error = expectErrorJson(jsonRun, call, promised);
      expect(jsonRun.tries).toBe(1);
      if (call === textCall) {
        const ran = await textRun;
        expectErrorText(ran, call, promised, error);
        expect(ran.tries).toBe(1);
      }
      return error;
    }),
  );
  return errors;
}

const reads = ["list", "get"] as const;

/** Expects the error under `--json`: one line, exactly the documented fields, nothing on standard output. */
export function expectErrorJson(ran: Ran, call: Call, promised: Promised): Record<string, unknown> {
  const { exitCode, unclear, isSent = true, hint, ...expected } = promised;
  const error = parseError(ran);
  expect(ran.exitCode).toBe(exitCode);
  expect(Object.keys(error)).toEqual(fields);
  expect(error).toMatchObject({
    ...expected,
    hint: unclear && isWrite(call) ? outcomeUnknown : hint,
    idempotency_key: isWrite(call) && isSent ? idempotencyKey : null,
  });
  return error;
}

/** Expects the same error as text at the end of standard error; nothing on standard output. */
export function expectErrorText(
  ran: Ran,
  call: Call,
  { exitCode }: Promised,
  error: Record<string, unknown>,
): void {
  const read = (field: string) => error[field] as string | null;
  const isRemote = error["http_status"] !== null;
  const lines = [
    ["hint", read("hint")],
    ["code", isRemote ? read("code") : null],
    ["param", read("param")],
    ["request", read("request_id")],
    ["idempotency key", error["retryable"] ? read("idempotency_key") : null],
    ["see", read("doc_url")],
  ].flatMap(([name, value]) => (value === null ? [] : [`  ${name}: ${value}\n`]));
  const words = `Error: ${read("message")}\n${lines.join("")}`;
  expect({ stdout: ran.stdout, exitCode: ran.exitCode }).toEqual({ stdout: "", exitCode });
  if (call === "refund") expect(ran.stderr.endsWith(`\n\n${words}`)).toBe(true);
  else expect(ran.stderr).toBe(words);
}
