import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import {
  paymentPage,
  paymentPageScript,
  paymentPageStyle,
  waitingPageScript,
  type PageView,
} from "../page/payment-page.ts";
import type { ServiceError } from "../use-cases/service-error.ts";
import { headersOf, statusOf } from "./error-reply.ts";
import { pathOf } from "./target.ts";

/** Everything under /pay is read by a customer in a browser. */
export function isPagePath(url: string): boolean {
  return /^\/pay(?:\/|$)/.test(pathOf(url));
}

const policy = [
  "default-src 'none'",
  `style-src '${hashOf(paymentPageStyle)}'`,
  `script-src '${hashOf(paymentPageScript)}' '${hashOf(waitingPageScript)}'`,
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const oneYearSeconds = 365 * 24 * 60 * 60;

/**
 * What every answer under /pay tells the browser: load and run nothing but the page's own style and
 * scripts, ask nobody but this service, keep nothing, show it in no frame, and tell no other site the page's address.
 */
export function pageHeaders(publicUrl: string): Record<string, string> {
  return {
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    ...(publicUrl.startsWith("https:") && {
      "strict-transport-security": `max-age=${oneYearSeconds}`,
    }),
  };
}

export function sendPage(reply: FastifyReply, status: number, view: PageView): FastifyReply {
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .send(paymentPage(view));
}

/** The answer to a customer whose request failed: what to do, and nothing of what went wrong. */
export function sendFailurePage(reply: FastifyReply, error: ServiceError): FastifyReply {
  const status = statusOf[error.code];
  return sendPage(reply.headers(headersOf[error.code] ?? {}), status, { state: stateOf(status) });
}

function stateOf(status: number): "gone" | "refused" | "unavailable" {
  if (status === 404) return "gone";
  return status < 500 ? "refused" : "unavailable";
}

function hashOf(content: string): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
