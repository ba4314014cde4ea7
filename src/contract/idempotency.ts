import { z } from "zod";

/** The value of an Idempotency-Key header (specification: Idempotency; 255 characters at most). */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, {
  error: "must be 1 to 255 visible ASCII characters, without spaces",
});
