import type { BlockList } from "node:net";
import type { ErrorCode } from "../../../contract/error.ts";
import { headersOf, statusOf } from "../../http/error-reply.ts";
import { readForms } from "../../http/form-body.ts";
import type { Endpoint } from "../../http/no-such-route.ts";
import { headersOfPages, type Pages } from "../../http/pages.ts";
import { pathOf, publicPath } from "../../http/target.ts";
import type { Service } from "../../use-cases/service.ts";
import { admission } from "./admission.ts";
import { dashboardScript } from "./dashboard-script.ts";
import { dashboardStyle } from "./dashboard-style.ts";
import { activityRoutes } from "./routes/activity-routes.ts";
import type { AddressIn } from "./navigation.ts";
import { invitationRoutes } from "./routes/invitations-routes.ts";
import { keyRoutes } from "./routes/keys-routes.ts";
import { overviewRoutes } from "./routes/overview-routes.ts";
import { onePaymentRoutes } from "./routes/payment-routes.ts";
import { paymentsRoutes } from "./routes/payments-routes.ts";
import { sessionRoutes } from "./routes/sessions-routes.ts";
import { settingsRoutes } from "./routes/settings-routes.ts";
import { teamRoutes } from "./routes/team-routes.ts";
import { webhookRoutes, webhooksRoutes } from "./routes/webhooks-routes.ts";
import { sendView } from "./send-view.ts";
import { sessionCookie } from "./session-cookie.ts";
import { failureView } from "./views/failure-view.ts";

type Settings = {
  /** How operators reach the service, without a slash at the end. */
  publicUrl: () => string;
  /** Proxies whose `X-Forwarded-For` says where a request comes from. */
  trustedProxies: BlockList;
};

/** The dashboard: pages for operators, over the same use cases as the API and the commands. */
export function dashboard(service: Service, { publicUrl, trustedProxies }: Settings): Pages {
  const endpoints: Endpoint[] = [];
  const cookie = sessionCookie(publicUrl);
  const addressIn: AddressIn = (path) => publicPath(publicUrl(), `/dashboard${path}`);
  const { sessionOf, refuseForeignForm, admitVisitor, frameFailure } = admission({
    service,
    cookie,
    publicUrl,
    addressIn,
  });
  return {
    endpoints,
    has: (url) => /^\/dashboard(?:\/|$)/.test(pathOf(url)),
    headers: headersOfPages({
      style: dashboardStyle,
      scripts: [dashboardScript],
      isAsking: false,
      referrer: "same-origin",
    }),
    sendFailure: async (reply, error) => {
      if (isWrongAddress(error.code)) await frameFailure(reply.request);
      const status = statusOf[error.code];
      void sendView(
        reply.headers(headersOf[error.code] ?? {}),
        failureView({ status, entrance: addressIn("") }),
        status,
      );
    },
    register: (app) => {
      app.addHook("onRoute", ({ method, url }) => {
        for (const each of [method].flat()) endpoints.push({ method: each, path: url });
      });
      readForms(app);
      app.decorateRequest("visit");
      app.addHook("onRequest", refuseForeignForm);
      invitationRoutes(app, service, { cookie, addressIn, publicUrl, trustedProxies });
      sessionRoutes(app, service, { cookie, addressIn, publicUrl, sessionOf });
      void app.register(async (pages) => {
        pages.addHook("onRequest", admitVisitor);
        overviewRoutes(pages, service);
        paymentsRoutes(pages, service);
        onePaymentRoutes(pages, service);
        keyRoutes(pages, service);
        webhooksRoutes(pages, service);
        webhookRoutes(pages, service);
        teamRoutes(pages, service, { publicUrl });
        activityRoutes(pages, service);
        settingsRoutes(pages, service);
      });
    },
  };
}

/** Other failures may be the store's, which would only be asked again for who it is. */
function isWrongAddress(code: ErrorCode): boolean {
  return statusOf[code] === 404 || statusOf[code] === 405;
}
