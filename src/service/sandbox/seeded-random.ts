import { createHash } from "node:crypto";

const blockBytes = 32;

/**
 * Random values that repeat with the seed. Each purpose has its own sequence, so that a value more of one kind does not
 * change the others.
 */
export function createSeededRandom(seed: string) {
  const counts = new Map<string, number>();

  function bytes(purpose: string, length: number): Uint8Array {
    const drawn = new Uint8Array(Math.ceil(length / blockBytes) * blockBytes);
    for (let at = 0; at < length; at += blockBytes) {
      const count = counts.get(purpose) ?? 0;
      counts.set(purpose, count + 1);
      drawn.set(digest(`${purpose}/${count}`), at);
    }
    return drawn.slice(0, length);
  }

  function digest(text: string): Uint8Array {
    return createHash("sha256")
      .update(JSON.stringify([seed, text]))
      .digest();
  }

  return {
    bytes,
    /** A UUIDv4. */
    uuid: (purpose = "uuid"): string => {
      const random = bytes(purpose, 16);
      random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
      random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
      const hex = Buffer.from(random).toString("hex");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    /** From 0 to below 1, always the same for a subject. */
    jitter: (subject: string): number =>
      new DataView(digest(`jitter/${subject}`).buffer).getUint32(0) / 2 ** 32,
  };
}
