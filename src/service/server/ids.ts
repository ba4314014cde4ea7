import { randomBytes, randomFillSync, randomUUID } from "node:crypto";
import { v7 } from "uuid";
import type { Ids } from "../ports/ports.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Ids from the clock and secrets from the operating system's random source. */
export const ids: Ids = {
  payment: () => `pay_${createOrderedId()}`,
  event: () => `evt_${createOrderedId()}`,
  delivery: () => `del_${createOrderedId()}`,
  endpoint: () => `we_${v7()}`,
  webhookSecret: () => `whsec_${randomBytes(32).toString("base64")}`,
  account: () => `acct_${v7()}`,
  apiKey: () => `key_${v7()}`,
  operator: () => `op_${v7()}`,
  activity: () => `act_${createOrderedId()}`,
  unique: randomUUID,
  secret: (length) => {
    let secret = "";
    while (secret.length < length) {
      // Bytes from 248 on are left out: 248 is 4 × 62, so that every character is equally likely.
      for (const byte of randomBytes(length)) if (byte < 248) secret += base62[byte % 62];
    }
    return secret.slice(0, length);
  },
};

const idBytes = 16;
/** For many ids at a time: a call of the system takes longer than making an id. */
const pool = Buffer.alloc(256 * idBytes);
let unused = pool.subarray(pool.length);
let last = { msecs: 0, seq: 0 };

/** A UUIDv7 greater than the one before, also within a millisecond and where the clock is set back. */
function createOrderedId(): string {
  if (unused.length === 0) unused = randomFillSync(pool);
  const random = unused.subarray(0, idBytes);
  unused = unused.subarray(idBytes);
  const msecs = Date.now();
  // A new millisecond begins with 31 random bits: the 32nd leaves room to count on.
  last =
    msecs > last.msecs
      ? { msecs, seq: random.readUInt32BE() >>> 1 }
      : { ...last, seq: last.seq + 1 };
  return v7({ ...last, random });
}
