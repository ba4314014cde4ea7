import { randomBytes } from "node:crypto";

/** The secret of a webhook endpoint, as the service makes it. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
