import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServiceError } from "../domain/service-error.ts";

/** Pages for browsers, under a path of their own, where errors are pages, too. */
export type Pages = {
  /** Whether a path is theirs, also where there is no such page. */
  has: (url: string) => boolean;
  /** The headers of every response. */
  headers: (publicUrl: string) => Record<string, string>;
  sendFailure: (reply: FastifyReply, error: ServiceError) => FastifyReply | Promise<void>;
  register: (app: FastifyInstance) => void;
};

type Parts = {
  style: string;
  scripts: readonly string[];
  /** Whether the scripts send requests to this service. */
  isAsking: boolean;
  referrer: "no-referrer" | "same-origin";
};

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * The security headers of pages: nothing is loaded or run but their own style and scripts, nothing is cached or
 * shown in a frame, and no other site learns their address.
 */
export function toPageHeaders({ style, scripts, isAsking, referrer }: Parts): Pages["headers"] {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src ${scripts.map((script) => `'${hashOf(script)}'`).join(" ")}`,
    ...(isAsking ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
  return (publicUrl) => ({
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": referrer,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    ...(publicUrl.startsWith("https:") && {
      "strict-transport-security": `max-age=${oneYearSeconds}`,
    }),
  });
}

function hashOf(content: string): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
