import { headersByCode, statusByCode } from "../../../contract/error.ts";
import { maskPath, parsePath, readForms } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { toPageHeaders, type Pages } from "../design/pages.ts";
import { registerActivityPage } from "./activity-page.ts";
import { createDownloads } from "./downloads.ts";
import {
  registerEndpointActions,
  registerRecoverEndpointPage,
  registerTestEndpointPage,
} from "./endpoint-actions.ts";
import { registerAssets, renderFailure, sendView } from "./frame.ts";
import { registerKeysPage } from "./keys-page.ts";
import { registerOverviewPage } from "./overview-page.ts";
import { registerCancelPaymentPage, registerPaymentDetailsPage } from "./payment-details-page.ts";
import { registerPaymentsPage } from "./payments-page.ts";
import { registerRefundPage } from "./refund-page.ts";
import { registerRequestsPage } from "./requests-page.ts";
import { createSessionCookie, requireSession, type Entrance } from "./require-session.ts";
import { registerSettingsPage } from "./settings-page.ts";
import { registerInvitationPage, registerSignInPage, type TrustedProxies } from "./sign-in-page.ts";
import { registerOperatorPage, registerTeamPage } from "./team-page.ts";
import type { AddressWithin } from "./visit.ts";
import { registerWebhookEndpointPage } from "./webhook-endpoint-page.ts";
import { registerWebhooksPage } from "./webhooks-page.ts";

type Settings = {
  /** The address at which operators reach the service, without a slash at the end. */
  publicUrl: () => string;
  /** Proxies whose `X-Forwarded-For` names the client. */
  trustedProxies: TrustedProxies;
  /** Of a sandbox, the account that has the published keys; undefined outside of a sandbox. */
  sandboxAccount: string | undefined;
};

/** The dashboard: pages for operators, over the same use cases as the API and the commands. */
export function createDashboard(
  service: Service,
  { publicUrl, trustedProxies, sandboxAccount }: Settings,
): Pages {
  const cookie = createSessionCookie(publicUrl);
  const addressIn: AddressWithin = (path) => maskPath(publicUrl(), `/dashboard${path}`);
  const entrance: Entrance = { service, cookie, publicUrl, addressIn, sandboxAccount };
  const sendDownload = createDownloads(entrance);
  const { refuseForeignForm, requireRole, frameFailure } = requireSession(entrance);
  return {
    has: (url) => /^\/dashboard(?:\/|$)/.test(parsePath(url)),
    headers: toPageHeaders({
      styles: "self",
      scripts: "self",
      sendsRequests: false,
      referrer: "same-origin",
    }),
    sendFailure: async (reply, { code }) => {
      const status = statusByCode[code];
      reply.request.addressIn = addressIn; // the failure may have come before the hook
      // Other failures may come from the store, which the look-up of the session needs, too.
      if (status === 404 || status === 405) await frameFailure(reply.request);
      reply.headers(headersByCode[code] ?? {});
      void sendView(reply, renderFailure(status, addressIn("")), status);
    },
    register: (app) => {
      readForms(app);
      app.decorateRequest("visit");
      app.decorateRequest("addressIn");
      app.addHook("onRequest", async (request) => {
        request.addressIn = addressIn;
      });
      app.addHook("onRequest", refuseForeignForm);
      registerAssets(app);
      registerInvitationPage(app, entrance, trustedProxies);
      registerSignInPage(app, entrance);
      void app.register(async (pages) => {
        pages.addHook("onRequest", requireRole);
        // A form may arrive long after its headers, when the operator has lost the session or the role.
        pages.addHook("preHandler", async (request, reply) =>
          request.method === "POST" ? await requireRole(request, reply) : undefined,
        );
        registerOverviewPage(pages, service, sendDownload);
        registerPaymentsPage(pages, service, sendDownload);
        registerPaymentDetailsPage(pages, service);
        registerRefundPage(pages, service);
        registerCancelPaymentPage(pages, service);
        registerRequestsPage(pages, service);
        registerKeysPage(pages, service);
        registerWebhooksPage(pages, service);
        registerWebhookEndpointPage(pages, service);
        registerEndpointActions(pages, service);
        registerTestEndpointPage(pages, service);
        registerRecoverEndpointPage(pages, service);
        registerTeamPage(pages, service, publicUrl);
        registerOperatorPage(pages, service, publicUrl);
        registerActivityPage(pages, service, sendDownload);
        registerSettingsPage(pages, service);
      });
    },
  };
}
