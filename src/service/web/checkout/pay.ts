import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Service } from "../../use-cases/service.ts";
import { isCrossSite } from "../../http/cross-site.ts";
import { headersByCode } from "../../http/error-reply.ts";
import { getForm, readForms } from "../../http/form-body.ts";
import { parseLanguage } from "../../http/language.ts";
import { isPagePath, pageHeaders, sendFailurePage, sendPage } from "./page-reply.ts";
import { computeRefresh, toPageView } from "./to-page-view.ts";
import type { Pages } from "../../http/pages.ts";
import { maskPath } from "../../http/target.ts";

const paths = {
  page: "/pay/:token",
  cancel: "/pay/:token/cancel",
  return: "/pay/:token/return",
} as const;

type WithToken = FastifyRequest<{ Params: { token: string } }>;

const bodyLimit = 8 * 1024;
const cardFields = ["number", "expiry", "cvc", "name"] as const;

/** The payment pages, which customers open without a key: their address is what they need. */
export function createPayPages(service: Service, publicUrl: () => string): Pages {
  return {
    has: isPagePath,
    headers: pageHeaders,
    sendFailure: sendFailurePage,
    register: (app) => payRoutes(app, service, publicUrl),
  };
}

/** A form is answered by a redirection, so that going back or loading again sends nothing twice. */
function payRoutes(app: FastifyInstance, service: Service, publicUrl: () => string): void {
  readForms(app);
  app.addHook("onRequest", async (request, reply) => {
    const isRefused = request.method === "POST" && isCrossSite(request.headers, publicUrl());
    return isRefused ? sendPage(reply, 403, { state: "refused" }) : undefined;
  });

  app.get(paths.page, async (request: WithToken, reply) => showPage(request, reply));

  app.post(paths.page, { bodyLimit }, async (request: WithToken, reply) => {
    const typed = getForm(request, cardFields);
    const attempt = await service.payPage(request.params.token, typed);
    switch (attempt.outcome) {
      case "mistakes":
        return sendPage(
          reply,
          422,
          toPageView(attempt.page, { ...shownTo(request), form: attempt }),
        );
      case "busy": {
        const form = { kept: attempt.kept, isBankBusy: true };
        reply.headers(headersByCode.service_unavailable ?? {});
        return sendPage(reply, 503, toPageView(attempt.page, { ...shownTo(request), form }));
      }
      case "closed":
        return reply.redirect(pathOfPage(request), 303);
      case "gone":
        return await showPage(request, reply);
      default:
        return attempt satisfies never;
    }
  });

  app.post(paths.cancel, { bodyLimit }, async (request: WithToken, reply) => {
    getForm(request, []);
    const ended = await service.cancelPage(request.params.token);
    if (ended === "gone") return await showPage(request, reply);
    return reply.redirect(pathOfPage(request), 303);
  });

  app.get(paths.return, async (request: WithToken, reply) => {
    const place = await service.returnFromPage(request.params.token);
    if (place === "gone") return await showPage(request, reply);
    return reply.redirect(place === "page" ? pathOfPage(request) : place.address, 303);
  });

  function pathOfPage({ params }: WithToken): string {
    return maskPath(publicUrl(), `/pay/${params.token}`);
  }

  function shownTo(request: WithToken) {
    const language = parseLanguage(request.headers["accept-language"]);
    return { path: pathOfPage(request), language };
  }

  /** The same for an unknown and a malformed token, and a page that expired a day ago. */
  async function showPage(request: WithToken, reply: FastifyReply): Promise<FastifyReply> {
    const page = await service.findPage(request.params.token);
    const view = toPageView(page, shownTo(request));
    const refresh = computeRefresh(view);
    if (refresh !== undefined) reply.header("refresh", refresh);
    const isOver = view.state === "gone" || view.state === "expired";
    return sendPage(reply, isOver ? 404 : 200, view);
  }
}
