import type { BlockList } from "node:net";
import type { ErrorCode } from "../../../contract/error.ts";
import { headersByCode, statusByCode } from "../../http/error-reply.ts";
import { readForms } from "../../http/form-body.ts";
import { toPageHeaders, type Pages } from "../../http/pages.ts";
import { parsePath, maskPath } from "../../http/target.ts";
import type { Service } from "../../use-cases/service.ts";
import { requireSession } from "./admission.ts";
import { dashboardScript } from "./dashboard-script.ts";
import { dashboardStyle } from "./dashboard-style.ts";
import { registerActivityRoutes } from "./routes/activity-routes.ts";
import type { AddressWithin } from "./navigation.ts";
import { registerInvitationRoutes } from "./routes/invitations-routes.ts";
import { registerKeyRoutes } from "./routes/keys-routes.ts";
import { registerOverviewRoutes } from "./routes/overview-routes.ts";
import { registerPaymentRoutes } from "./routes/payment-routes.ts";
import { registerPaymentsRoutes } from "./routes/payments-routes.ts";
import { registerSessionRoutes } from "./routes/sessions-routes.ts";
import { registerSettingsRoutes } from "./routes/settings-routes.ts";
import { registerTeamRoutes } from "./routes/team-routes.ts";
import { registerWebhookRoutes, registerWebhooksRoutes } from "./routes/webhooks-routes.ts";
import { sendView } from "./send-view.ts";
import { sessionCookie } from "./session-cookie.ts";
import { renderFailure } from "./views/failure-view.ts";

type Settings = {
  /** How operators reach the service, without a slash at the end. */
  publicUrl: () => string;
  /** Proxies whose `X-Forwarded-For` says where a request comes from. */
  trustedProxies: BlockList;
};

/** The dashboard: pages for operators, over the same use cases as the API and the commands. */
export function createDashboard(service: Service, { publicUrl, trustedProxies }: Settings): Pages {
  const cookie = sessionCookie(publicUrl);
  const addressIn: AddressWithin = (path) => maskPath(publicUrl(), `/dashboard${path}`);
  const { sessionOf, refuseForeignForm, admitVisitor, frameFailure } = requireSession({
    service,
    cookie,
    publicUrl,
    addressIn,
  });
  return {
    has: (url) => /^\/dashboard(?:\/|$)/.test(parsePath(url)),
    headers: toPageHeaders({
      style: dashboardStyle,
      scripts: [dashboardScript],
      isAsking: false,
      referrer: "same-origin",
    }),
    sendFailure: async (reply, error) => {
      if (isWrongAddress(error.code)) await frameFailure(reply.request);
      const status = statusByCode[error.code];
      void sendView(
        reply.headers(headersByCode[error.code] ?? {}),
        renderFailure({ status, entrance: addressIn("") }),
        status,
      );
    },
    register: (app) => {
      readForms(app);
      app.decorateRequest("visit");
      app.addHook("onRequest", refuseForeignForm);
      registerInvitationRoutes(app, service, { cookie, addressIn, publicUrl, trustedProxies });
      registerSessionRoutes(app, service, { cookie, addressIn, publicUrl, sessionOf });
      void app.register(async (pages) => {
        pages.addHook("onRequest", admitVisitor);
        registerOverviewRoutes(pages, service);
        registerPaymentsRoutes(pages, service);
        registerPaymentRoutes(pages, service);
        registerKeyRoutes(pages, service);
        registerWebhooksRoutes(pages, service);
        registerWebhookRoutes(pages, service);
        registerTeamRoutes(pages, service, { publicUrl });
        registerActivityRoutes(pages, service);
        registerSettingsRoutes(pages, service);
      });
    },
  };
}

/** Other failures may be the store's, which would only be asked again for who it is. */
function isWrongAddress(code: ErrorCode): boolean {
  return statusByCode[code] === 404 || statusByCode[code] === 405;
}
