import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ServiceError, headersByCode, statusByCode } from "../../../contract/error.ts";
import { pageModeHeader, pagePaymentHeader } from "../../../contract/route.ts";
import { cancelPage } from "../../checkout/cancel-payment.ts";
import { endChallenge, findChallenge, payPage, returnFromPage } from "../../checkout/pay-page.ts";
import { findPage } from "../../checkout/find-page.ts";
import { getForm, isCrossSite, maskPath, parsePath, readForms } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { toPageHeaders, type Pages } from "../design/pages.ts";
import { type PageView, findReturnSeconds, toChallengeView, toPageView } from "./page-view.ts";
import {
  waitingPageScript,
  renderPaymentPage,
  paymentPageStyle,
  paymentPageScript,
  localTimeScript,
} from "./payment-page.ts";
import { findWords, parseLanguage } from "./words/languages.ts";

const paths = {
  page: "/pay/:token",
  cancel: "/pay/:token/cancel",
  return: "/pay/:token/return",
  challenge: "/pay/:token/challenge",
} as const;

type WithToken = FastifyRequest<{ Params: { token: string } }>;

const bodyLimit = 8 * 1024;
const cardFields = ["number", "expiry", "cvc", "name"] as const;
/** Long enough to cancel instead; the page says that it goes on by itself. */
const bankSeconds = 2;

/** The checkout pages, which customers open without a key: their address is their secret. */
export function createPayPages(service: Service, publicUrl: () => string): Pages {
  return {
    has: (url) => /^\/pay(?:\/|$)/.test(parsePath(url)),
    headers: toPageHeaders({
      styles: [paymentPageStyle],
      scripts: [paymentPageScript, waitingPageScript, localTimeScript],
      sendsRequests: true,
      referrer: "no-referrer",
    }),
    sendFailure,
    register: (app) => registerPayRoutes(app, service, publicUrl),
  };
}

/** The customer reads what to do, and no details of the error. */
function sendFailure(reply: FastifyReply, { code }: ServiceError): FastifyReply {
  const language = readLanguage(reply.request);
  const status = statusByCode[code];
  const state = status === 404 ? "gone" : status < 500 ? "refused" : "unavailable";
  return sendPage(reply.headers(headersByCode[code] ?? {}), status, { state, language });
}

function readLanguage({ headers }: FastifyRequest): string {
  return parseLanguage(headers["accept-language"]);
}

function sendPage(reply: FastifyReply, status: number, view: PageView): FastifyReply {
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .header("content-language", findWords(view.language).language)
    .send(renderPaymentPage(view));
}

/** A form is answered by a redirection, so that going back or reloading sends nothing twice. */
function registerPayRoutes(app: FastifyInstance, service: Service, publicUrl: () => string): void {
  readForms(app);
  app.addHook("onRequest", async (request, reply) => {
    const isRefused = request.method === "POST" && isCrossSite(request.headers, publicUrl());
    return isRefused
      ? sendPage(reply, 403, { state: "refused", language: readLanguage(request) })
      : undefined;
  });

  app.get(paths.page, async (request: WithToken, reply) => showPage(request, reply));

  app.post(paths.page, { bodyLimit }, async (request: WithToken, reply) => {
    const attempt = await payPage(service, request.params.token, getForm(request, cardFields));
    switch (attempt.outcome) {
      case "mistakes":
        return sendPage(
          reply,
          422,
          toPageView(attempt.page, { ...toOptions(request), form: attempt }),
        );
      case "busy": {
        const form = { prefill: attempt.prefill, isBankBusy: true };
        reply.headers(headersByCode.service_unavailable ?? {});
        return sendPage(reply, 503, toPageView(attempt.page, { ...toOptions(request), form }));
      }
      case "closed":
        return reply.redirect(pathOf(request), 303);
      case "gone":
        return await showPage(request, reply);
      default:
        return attempt satisfies never;
    }
  });

  app.post(paths.cancel, { bodyLimit }, async (request: WithToken, reply) => {
    getForm(request, []);
    const canceled = await cancelPage(service, request.params.token);
    if (canceled === "gone") return await showPage(request, reply);
    return reply.redirect(pathOf(request), 303);
  });

  app.get(paths.return, async (request: WithToken, reply) => {
    const asks = request.method !== "HEAD";
    const target = await returnFromPage(service, request.params.token, { asks });
    if (target === "gone") return await showPage(request, reply);
    if (target === "page") return reply.redirect(pathOf(request), 303);
    if ("address" in target) return reply.redirect(target.address, 303);
    const options = { ...toOptions(request), hasReturned: true };
    return sendPage(reply, 200, toPageView(target.waiting, options));
  });

  app.get(paths.challenge, async (request: WithToken, reply) => {
    const page = await findChallenge(service, request.params.token);
    if (page === "gone") return await showPage(request, reply);
    if (page === "closed" || page.state === "gone") return reply.redirect(pathOf(request), 303);
    return sendPage(reply, 200, toChallengeView(page, toOptions(request)));
  });

  app.post(paths.challenge, { bodyLimit }, async (request: WithToken, reply) => {
    const { decision } = getForm(request, ["decision"]);
    if (decision !== "approve" && decision !== "decline") {
      return reply.redirect(`${pathOf(request)}/challenge`, 303);
    }
    const isApproved = decision === "approve";
    const ended = await endChallenge(service, request.params.token, { isApproved });
    if (ended === "gone") return await showPage(request, reply);
    return reply.redirect(`${pathOf(request)}/return`, 303);
  });

  function pathOf({ params }: WithToken): string {
    return maskPath(publicUrl(), `/pay/${params.token}`);
  }

  function toOptions(request: WithToken) {
    return { path: pathOf(request), language: readLanguage(request) };
  }

  /** The same for an unknown and a malformed token, and a page that expired a day ago. */
  async function showPage(request: WithToken, reply: FastifyReply): Promise<FastifyReply> {
    const page = await findPage(service, request.params.token);
    const view = toPageView(page, toOptions(request));
    if (page.state !== "gone") {
      const { id, livemode } = page.payment;
      reply.header(pagePaymentHeader, id).header(pageModeHeader, livemode ? "live" : "test");
    }
    if (view.state === "at_bank" && view.bankUrl !== null) {
      reply.header("refresh", `${bankSeconds}; url=${view.bankUrl}`);
    } else if ("returnTo" in view && view.returnTo !== null) {
      reply.header("refresh", `${findReturnSeconds(view)}; url=${view.returnTo}`);
    }
    const isOver = view.state === "gone" || view.state === "expired";
    return sendPage(reply, isOver ? 404 : 200, view);
  }
}
