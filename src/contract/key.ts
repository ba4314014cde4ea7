import { z } from "zod";

export const modes = ["test", "live"] as const;
export type Mode = (typeof modes)[number];

/** A secret API key; its prefix says its mode (specification: Authentication). */
export const apiKeyPattern = /^svc_(test|live)_sk_[A-Za-z0-9]{43}$/;

/** The mode that a key's prefix says, or undefined where it has neither prefix. */
export function modeOfKey(key: string): Mode | undefined {
  return modes.find((mode) => key.startsWith(keyPrefix(mode)));
}

export function keyPrefix(mode: Mode): string {
  return `svc_${mode}_sk_`;
}

/** What an operator sees of a key. Times are Unix seconds. */
const apiKey = z.object({
  id: z.string(),
  object: z.literal("api_key"),
  mode: z.enum(modes),
  name: z.string(),
  last4: z.string(),
  created: z.int(),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
});
export type ApiKey = z.infer<typeof apiKey>;
export const keyFields = Object.keys(apiKey.shape);

/** A key at the one moment when it is shown whole. */
export type IssuedKey = ApiKey & { key: string };
