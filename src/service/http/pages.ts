import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServiceError } from "../domain/service-error.ts";
import type { Endpoint } from "./no-such-route.ts";

/** What people read in a browser, under a path of its own: what fails there is a page, too. */
export type Pages = {
  endpoints: readonly Endpoint[];
  /** Whether a path is theirs, be there such a page or not. */
  has: (url: string) => boolean;
  /** What every answer tells the browser. */
  headers: (publicUrl: string) => Record<string, string>;
  sendFailure: (reply: FastifyReply, error: ServiceError) => FastifyReply | Promise<void>;
  register: (app: FastifyInstance) => void;
};

type Parts = {
  style: string;
  scripts: readonly string[];
  /** Whether the scripts ask this service. */
  isAsking: boolean;
  /** To whom a page's address is told. */
  referrer: "no-referrer" | "same-origin";
};

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * The headers of pages: load and run nothing but their own style and scripts, ask nobody but this service,
 * keep nothing, show them in no frame, and tell no other site their address.
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
