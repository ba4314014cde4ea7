import { randomBytes, randomUUID } from "node:crypto";
import { v7 } from "uuid";
import type { Ids } from "../use-cases/ports.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Ids from the clock and secrets from the operating system's random source. */
export const ids: Ids = {
  payment: () => `pay_${v7()}`,
  apiKey: () => `key_${v7()}`,
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
