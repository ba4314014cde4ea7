import { z } from "zod";

/** The value of an Idempotency-Key header (specification: Idempotency; 255 characters at most). */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, {
  error: "must be 1 to 255 visible ASCII characters, without spaces",
});

/** Every released version of the API, oldest first. */
export const versions = ["2026-11-01"] as const;
export type Version = (typeof versions)[number];
export const newestVersion: Version = versions.at(-1) ?? versions[0];

/** The value of a Service-Version header: a real date, written YYYY-MM-DD (specification: Versioning). */
export const versionDate = z.iso.date({
  error: "must be a date written YYYY-MM-DD, such as 2026-11-01",
});

/** The newest version released on or before a date, else the oldest one. */
export function versionOn(date: string): Version {
  return versions.findLast((version) => version <= date) ?? versions[0];
}
