import { randomBytes } from "node:crypto";

/** A webhook endpoint's, as the service makes them. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
