const keys = /(svc_(?:test|live)_sk_|\b[spr]k_(?:test|live)_)[A-Za-z0-9_-]*/gi;
const webhookSecrets = /(whsec_)[A-Za-z0-9+/=]*/gi;
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/;
const ipAddress = /(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\.?[0-9])/;
const cardNumber = /[0-9](?:[ .-]?[0-9]){11,}/;
const digits = new RegExp(`(${uuid.source}|${ipAddress.source})|${cardNumber.source}`, "gi");

/**
 * A text without secrets: API keys, also in capitals or of another make, webhook secrets, and runs of digits long
 * enough for a card number, also grouped by spaces, hyphens or dots. UUIDs and IP addresses stay.
 */
export function mask(value: string): string {
  return maskKeys(value).replace(digits, (_, harmless: string | undefined) => harmless ?? "…");
}

/** A text without API keys and webhook secrets. */
export function maskKeys(value: string): string {
  return value.replace(keys, "$1…").replace(webhookSecrets, "$1…");
}
