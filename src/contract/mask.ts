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
