import { idempotencyKey } from "../../contract/headers.ts";
import { usageError } from "../endings/exit-codes.ts";

/** Refuses what the API would refuse before anything is sent. */
export function checkedIdempotencyKey(key: string): string {
  const checked = idempotencyKey.safeParse(key);
  if (checked.success) return key;
  throw usageError(`--idempotency-key ${checked.error.issues[0]?.message}.`);
}
