import { isErrorLike } from "../runtime/failures.ts";
import { maskCardNumbers } from "./card-in-text.ts";

const keys = /(svc_(?:test|live)_sk_|\b[spr]k_(?:test|live)_)[A-Za-z0-9_-]*/gi;
const webhookSecrets = /(whsec_)[A-Za-z0-9+/=]*/gi;

/** A text without secrets: API keys, also in capitals or of another make, webhook secrets, and card numbers. */
export function mask(value: string): string {
  return maskCardNumbers(maskKeys(value));
}

/** A text without API keys and webhook secrets. */
export function maskKeys(value: string): string {
  return value.replace(keys, "$1…").replace(webhookSecrets, "$1…");
}

const maxCauses = 5;

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError };

/**
 * An error for the log, with its causes. An error may quote or carry a request, so its texts are masked and
 * its other properties left out.
 */
export function toMaskedError(error: unknown, depth = 0): LoggedError {
  const { name, message, stack, cause } = isErrorLike(error) ? error : new Error(String(error));
  const hasCause = isErrorLike(cause) && depth < maxCauses;
  return {
    type: name,
    message: mask(message),
    stack: maskStack(stack ?? ""),
    ...(hasCause && { cause: toMaskedError(cause, depth + 1) }),
  };
}

/** Each place of the stack is masked by itself: one may be a whole program in a `data:` URL, which hides no other. */
function maskStack(stack: string): string {
  return stack
    .split(/(?=\n {4}at )/)
    .map(mask)
    .join("");
}
