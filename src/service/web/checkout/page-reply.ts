import type { FastifyReply } from "fastify";
import {
  renderPaymentPage,
  paymentPageScript,
  paymentPageStyle,
  waitingPageScript,
  type PageView,
} from "./payment-page.ts";
import type { ServiceError } from "../../domain/service-error.ts";
import { headersByCode, statusByCode } from "../../http/error-reply.ts";
import { toPageHeaders } from "../../http/pages.ts";
import { parsePath } from "../../http/target.ts";

/** Everything under /pay is read by a customer in a browser. */
export function isPagePath(url: string): boolean {
  return /^\/pay(?:\/|$)/.test(parsePath(url));
}

/** What every answer under /pay tells the browser. */
export const pageHeaders = toPageHeaders({
  style: paymentPageStyle,
  scripts: [paymentPageScript, waitingPageScript],
  isAsking: true,
  referrer: "no-referrer",
});

export function sendPage(reply: FastifyReply, status: number, view: PageView): FastifyReply {
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .send(renderPaymentPage(view));
}

/** The answer to a customer whose request failed: what to do, and nothing of what went wrong. */
export function sendFailurePage(reply: FastifyReply, error: ServiceError): FastifyReply {
  const status = statusByCode[error.code];
  return sendPage(reply.headers(headersByCode[error.code] ?? {}), status, {
    state: stateOf(status),
  });
}

function stateOf(status: number): "gone" | "refused" | "unavailable" {
  if (status === 404) return "gone";
  return status < 500 ? "refused" : "unavailable";
}
