import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { getAsset, isSea } from "node:sea";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ServiceError } from "../../../contract/error.ts";

/** Pages for browsers, under a path of their own, where errors are pages, too. */
export type Pages = {
  /** Whether a path belongs to them, even if no page is there. */
  has: (url: string) => boolean;
  /** The headers of every response. */
  headers: (publicUrl: string) => Record<string, string>;
  sendFailure: (reply: FastifyReply, error: ServiceError) => FastifyReply | Promise<void>;
  register: (app: FastifyInstance) => void;
};

type Parts = {
  /** The texts of the styles in a page; `self` if it links to files of this service. */
  styles: readonly string[] | "self";
  scripts: readonly string[] | "self";
  /** Whether the scripts send requests to this service. */
  sendsRequests: boolean;
  referrer: "no-referrer" | "same-origin";
};

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * The security headers of pages: browsers load and run only the pages' own style and scripts, do not cache the
 * pages or put them into a frame, and send their address to no other site.
 */
export function toPageHeaders({
  styles,
  scripts,
  sendsRequests,
  referrer,
}: Parts): Pages["headers"] {
  const policy = [
    "default-src 'none'",
    `style-src ${toSources(styles)}`,
    `script-src ${toSources(scripts)}`,
    ...(sendsRequests ? ["connect-src 'self'"] : []),
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

function toSources(contents: readonly string[] | "self"): string {
  return contents === "self" ? "'self'" : contents.map(hashSource).join(" ");
}

function hashSource(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

const isSource = import.meta.url.endsWith(".ts");

/**
 * The text of styles or scripts of the pages, one after the other, by their paths in `web`. They are files of the
 * source, copies without the spaces and comments that only their readers need in a build, and assets of a single
 * executable.
 */
export function readAssets(...paths: string[]): string {
  return paths
    .map((path) => {
      const name = basename(path);
      if (isSea()) return getAsset(name, "utf8");
      const file = new URL(isSource ? `../${path}` : `./web/${name}`, import.meta.url);
      return readFileSync(file, "utf8");
    })
    .join("");
}
