export const modes = ["test", "live"] as const;
export type Mode = (typeof modes)[number];

/** A secret API key; its prefix says its mode (specification: Authentication). */
export const apiKeyPattern = /^svc_(test|live)_sk_[A-Za-z0-9]{43}$/;

/** The mode that a key's prefix says, or undefined where it has neither prefix. */
export function parseKeyMode(key: string): Mode | undefined {
  return modes.find((mode) => key.startsWith(keyPrefix(mode)));
}

export function keyPrefix(mode: Mode): string {
  return `svc_${mode}_sk_`;
}

const namingFields = ["id", "object", "account", "mode", "name"] as const;
const otherFields = ["last4", "created", "expires_at", "revoked_at", "last_used_at"] as const;
/** A key as operators see it. `account` is an id, times are Unix seconds. */
export const keyFields = [...namingFields, ...otherFields] as const;
export type ApiKey = Record<"id" | "account" | "name" | "last4", string> & {
  object: "api_key";
  mode: Mode;
  created: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** To the minute. */
  last_used_at: number | null;
};

/** A new key, which is shown whole only once. */
export type IssuedKey = ApiKey & { key: string };
export const issuedKeyFields = [...namingFields, "key", ...otherFields] as const;
