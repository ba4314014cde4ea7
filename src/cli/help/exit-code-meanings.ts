import { exitCodes } from "../errors/command-error.ts";

const meanings: Record<keyof typeof exitCodes, string> = {
  done: "done",
  fault: "a fault of the program, or of an adapter that `network check` has tried",
  usage: "your input: an unknown flag, a missing or malformed value",
  not_as_expected: "the payment failed (`--wait`), or did not end as expected (`--expect`)",
  key: "the key is missing, malformed or rejected, modes contradict each other, or others could read it on its way",
  not_found: "not found",
  conflict:
    "conflict: not refundable, already refunded, idempotency key, a listener that is already running",
  rate_limited: "rate-limited, retries used up",
  still_pending: "still pending when `--timeout` ended",
  unavailable:
    "network failure, 5xx, or a store or port that cannot be used; for a write the error names the key to retry with",
  canceled: "you said no, or left a question",
};

/** Every exit code and what it says, for help, the reference and the README. */
export const exitCodeMeanings: readonly (readonly [code: string, meaning: string])[] = [
  ...Object.entries(exitCodes).map(
    ([name, code]) => [String(code), meanings[name as keyof typeof exitCodes]] as const,
  ),
  ["129", "the terminal was closed"],
  ["130", "interrupted"],
  ["143", "terminated"],
];
