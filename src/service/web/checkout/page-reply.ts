import type { FastifyReply } from "fastify";
import {
  paymentPage,
  paymentPageScript,
  paymentPageStyle,
  waitingPageScript,
  type PageView,
} from "./payment-page.ts";
import type { ServiceError } from "../../domain/service-error.ts";
import { headersOf, statusOf } from "../../http/error-reply.ts";
import { headersOfPages } from "../../http/pages.ts";
import { pathOf } from "../../http/target.ts";

/** Everything under /pay is read by a customer in a browser. */
export function isPagePath(url: string): boolean {
  return /^\/pay(?:\/|$)/.test(pathOf(url));
}

/** What every answer under /pay tells the browser. */
export const pageHeaders = headersOfPages({
  style: paymentPageStyle,
  scripts: [paymentPageScript, waitingPageScript],
  isAsking: true,
  referrer: "no-referrer",
});

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
