/** Every reason for which a command ends, with its exit code. Scripts rely on them: none ever changes. */
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  not_as_expected: 3,
  key: 4,
  not_found: 5,
  conflict: 6,
  rate_limited: 7,
  still_pending: 8,
  unavailable: 9,
  canceled: 10,
  unusable_program: 126,
  no_program: 127,
} as const;
export type ExitReason = keyof typeof exitCodes;

const meanings: Record<keyof typeof exitCodes, string> = {
  done: "done",
  fault:
    "internal error, or a check that fails: `network check`, `webhooks check`, `doctor`, `health`",
  usage: "your input: an unknown flag, a missing or malformed value",
  not_as_expected:
    "the payment failed (`--wait`) or did not end as expected (`--expect`, `fixtures`), the books differ (`reconcile`), payments were refused (`refund --from`; 4 where one is above the key's limit), or an endpoint refused (`webhooks test`, `webhooks recover`)",
  key: "the key is missing, malformed, rejected or may not do this, the modes contradict each other, or the connection isn't encrypted",
  not_found: "not found",
  conflict:
    "conflict: not refundable, already refunded, not cancelable, idempotency key, a listener that is already running, a login that would replace another (`--replace`)",
  rate_limited: "rate-limited, retries used up",
  still_pending:
    "still pending when `--timeout` ended (also `webhooks recover`), or no such event (`listen --until`)",
  unavailable:
    "network failure, 5xx, a store or port that cannot be used, or a sandbox that ended before its command (`sandbox exec`); for a write the error names the key to retry with",
  canceled: "canceled at a prompt",
  unusable_program: "the command of `sandbox exec` cannot be run",
  no_program: "the command of `sandbox exec` is not found",
};

/** Every exit code with its meaning, for the help, the reference and the README. */
export const exitCodeMeanings: readonly (readonly [code: string, meaning: string])[] = [
  ...Object.entries(exitCodes).map(
    ([name, code]) => [String(code), meanings[name as keyof typeof exitCodes]] as const,
  ),
  ["129", "the terminal was closed"],
  ["130", "interrupted"],
  ["143", "terminated"],
];
