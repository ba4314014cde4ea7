import { randomBytes, randomFillSync, randomUUID } from "node:crypto";
import { v7 } from "uuid";

/** Unix time in milliseconds. */
export type Clock = () => number;

export type Ids = {
  /** `pay_` and a UUIDv7; each is greater than the one before. */
  payment: () => string;
  /** `evt_` and a UUIDv7; each is greater than the one before. */
  event: () => string;
  /** `del_` and a UUIDv7. */
  delivery: () => string;
  /** `we_` and a UUIDv7 of which the last ten digits are random; each is greater than the one before. */
  endpoint: () => string;
  /** `whsec_` and 32 random bytes in base64. */
  webhookSecret: () => string;
  /** `acct_` and a UUIDv7. */
  account: () => string;
  /** `key_` and a UUIDv7. */
  apiKey: () => string;
  /** `op_` and a UUIDv7. */
  operator: () => string;
  /** `act_` and a UUIDv7; each is greater than the one before. */
  activity: () => string;
  /** `req_` and a UUIDv7; each is greater than the one before. */
  request: () => string;
  /** A UUID, unlike any other; no secret. */
  unique: () => string;
  /** Base62 characters from a cryptographic source. */
  secret: (length: number) => string;
};

/** Random values; `purpose` says what they are for. */
export type RandomSource = {
  bytes: (purpose: string, length: number) => Buffer;
  /** A UUID. */
  uuid: () => string;
};

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const idBytes = 16;

/** The ids of a service, from its clock and a source of random values. */
export function createIds(clock: () => number, random: RandomSource): Ids {
  /** Makes UUIDv7s, each greater than the one before, also within a millisecond and where the clock is set back. */
  function orderIds(purpose: string): () => string {
    let msecs = 0;
    let seq = 0;
    return () => {
      const bytes = random.bytes(purpose, idBytes);
      const nowMs = clock();
      // A new millisecond begins with 31 random bits: the 32nd leaves room to count on.
      seq = nowMs > msecs ? bytes.readUInt32BE() >>> 1 : seq + 1;
      msecs = Math.max(nowMs, msecs);
      v7({ msecs, seq, random: bytes }, bytes); // in the place of its random bytes
      return formatUuid(bytes);
    };
  }
  const createOrderedId = orderIds("id");
  // Of their own, so that ids of seeded payments do not depend on how often a client polls.
  const createRequestId = orderIds("request");

  return {
    payment: () => `pay_${createOrderedId()}`,
    event: () => `evt_${createOrderedId()}`,
    delivery: () => `del_${createOrderedId()}`,
    endpoint: () => `we_${createOrderedId()}`,
    webhookSecret: () => `whsec_${random.bytes("webhook secret", 32).toString("base64")}`,
    account: () => `acct_${createOrderedId()}`,
    apiKey: () => `key_${createOrderedId()}`,
    operator: () => `op_${createOrderedId()}`,
    activity: () => `act_${createOrderedId()}`,
    request: () => `req_${createRequestId()}`,
    unique: random.uuid,
    secret: (length) => {
      let secret = "";
      while (secret.length < length) {
        // Bytes from 248 on are left out: 248 is 4 × 62, so that every character is equally likely.
        for (const byte of random.bytes("secret", length)) {
          if (byte < 248) secret += base62[byte % 62];
        }
      }
      return secret.slice(0, length);
    },
  };
}

const hexDigits = Buffer.from("0123456789abcdef");
const uuidText = Buffer.alloc(36, "-");

/** In a buffer of its own: of a hexadecimal text, its parts and what joins them, each would be a string. */
function formatUuid(bytes: Uint8Array): string {
  let at = 0;
  for (let index = 0; index < idBytes; index++) {
    const byte = bytes[index] ?? 0;
    if (index === 4 || index === 6 || index === 8 || index === 10) at++; // leaves the hyphen
    uuidText[at++] = hexDigits[byte >> 4] ?? 0;
    uuidText[at++] = hexDigits[byte & 15] ?? 0;
  }
  return uuidText.toString("latin1");
}

/** For many ids at a time: a call of the system takes longer than making an id. */
const pool = Buffer.alloc(256 * idBytes);
let used = pool.length;

function takeFromPool(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += idBytes;
  return pool.subarray(used - idBytes, used);
}

/** The operating system's random source. */
export const systemRandom: RandomSource = {
  bytes: (_, length) => (length === idBytes ? takeFromPool() : randomBytes(length)),
  uuid: randomUUID,
};

/** Ids from the system's clock and random source. */
export const ids = createIds(() => Date.now(), systemRandom);

export { parseCreated, parseCreatedMs } from "../../runtime/time.ts";

/**
 * The id of a payment, an event, a delivery, a request or an activity is its prefix and a UUIDv7, whose first 48 bits
 * are the time of creation in Unix milliseconds: the order of ids is the order of creation, and a range of time is a
 * range of ids.
 */
const maxMs = 2 ** 48 - 1;
export type Prefix = "pay_" | "evt_" | "del_" | "we_" | "act_" | "req_";

/** Sorts after every id of a kind. */
export function maxIdOf(prefix: Prefix): string {
  return `${prefix}g`;
}

/** Sorts before every id created at or after a time in Unix seconds, and after all earlier ones. */
export function toIdBound(prefix: Prefix, seconds: number): string {
  const hex = Math.min(Math.round(seconds * 1000), maxMs)
    .toString(16)
    .padStart(12, "0");
  return `${prefix}${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The id of a payment's first event: the payment's own with another prefix. */
export function toCreatedEventId(paymentId: string): string {
  return paymentId.replace(/^pay_/, "evt_");
}

/** The same in SQL, of the payment id that an expression gives. */
export function toCreatedEventIdSql(paymentId: string): string {
  return `'evt_' || substr(${paymentId}, 5)`;
}
