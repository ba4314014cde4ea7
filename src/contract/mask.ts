/**
 * A text without what must never be repeated: API keys, and runs of digits long enough to be a card
 * number, also when they are grouped by spaces or hyphens. The UUIDs in ids stay.
 */
export function mask(value: string): string {
  return value
    .replace(/svc_(test|live)_sk_[A-Za-z0-9_-]*/g, "svc_$1_sk_…")
    .replace(
      /([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})|[0-9](?:[ -]?[0-9]){11,}/gi,
      (_, uuid?: string) => uuid ?? "…",
    );
}
