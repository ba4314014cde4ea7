/**
 * A payment's id is `pay_` and a UUIDv7, whose first 48 bits are the time of creation in Unix
 * milliseconds: the order of ids is the order of creation, and a range of time is a range of ids.
 */
const latestMs = 2 ** 48 - 1;

/** Sorts after every payment id. */
export const afterEveryId = "pay_g";

/** When the payment with this id was created, in Unix seconds. */
export function createdOf(id: string): number {
  return Math.floor(Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16) / 1000);
}

/** Sorts before every id created at or after a time in Unix seconds, and after all earlier ones. */
export function idBoundAt(seconds: number): string {
  const hex = Math.min(seconds * 1000, latestMs)
    .toString(16)
    .padStart(12, "0");
  return `pay_${hex.slice(0, 8)}-${hex.slice(8)}`;
}
