// Writes docs/dashboard/*.png as the browser shows the dashboard: npm run screenshots
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { modes, type Mode } from "../../../../src/contract/key.ts";
import { createEndpointForm } from "../../../../src/service/web/dashboard/endpoint-form.ts";
import { renderActivity } from "../../../../src/service/web/dashboard/views/activity-view.ts";
import { renderPage, type View } from "../../../../src/service/web/dashboard/views/frame.ts";
import { renderInvitation } from "../../../../src/service/web/dashboard/views/invitation-view.ts";
import { renderKeys, renderNewKey } from "../../../../src/service/web/dashboard/views/keys-view.ts";
import { renderOverview } from "../../../../src/service/web/dashboard/views/overview-view.ts";
import { renderPayment } from "../../../../src/service/web/dashboard/views/payment-view.ts";
import { renderPayments } from "../../../../src/service/web/dashboard/views/payments-view.ts";
import { renderRefund } from "../../../../src/service/web/dashboard/views/refund-view.ts";
import { renderSettings } from "../../../../src/service/web/dashboard/views/settings-view.ts";
import { renderSignIn } from "../../../../src/service/web/dashboard/views/sign-in-view.ts";
import { renderTeam } from "../../../../src/service/web/dashboard/views/team-view.ts";
import { renderWebhook } from "../../../../src/service/web/dashboard/views/webhook-view.ts";
import { renderWebhooks } from "../../../../src/service/web/dashboard/views/webhooks-view.ts";
import { createVisit, type Visit } from "../../../../src/service/web/dashboard/visit.ts";
import { startBrowser } from "../../../testkit/pages/browser.ts";
import {
  accounts,
  activities,
  deliveries,
  endpointsIn,
  keysIn,
  madeUpKey,
  nowMs,
  operators,
  overview,
  paidByPage,
  paymentsIn,
  publicUrl,
} from "../../../testkit/pages/example-shop.ts";

const viewsOfMode: Record<string, (visit: Visit) => View> = {
  overview: (visit) => renderOverview(visit, overview()),
  payments: (visit) =>
    renderPayments(visit, {
      payments: paymentsIn(visit.mode),
      hasNewer: false,
      hasOlder: true,
      filters: { status: "", from: "", to: "" },
      soughtId: "",
      mistakes: {},
    }),
  payment: (visit) => {
    const { payment, happened } = paidByPage(visit.mode);
    return renderPayment(visit, payment, {
      happened,
      isJustRefunded: false,
      isRefundUnderway: false,
    });
  },
  refund: (visit) => renderRefund(visit, paidByPage(visit.mode).payment, { key: "" }),
  keys: (visit) => renderKeys(visit, keysIn(visit.mode), { form: { key: "", name: "" }, nowMs }),
  "new-key": (visit) => {
    const [key] = keysIn(visit.mode);
    return renderNewKey(visit, { ...key!, key: madeUpKey(visit.mode) });
  },
  webhooks: (visit) =>
    renderWebhooks(visit, endpointsIn(visit.mode), { form: createEndpointForm("") }),
  webhook: (visit) => {
    const [watched] = endpointsIn(visit.mode);
    return renderWebhook(visit, watched, { deliveries, hasNewer: false, hasOlder: false });
  },
  team: (visit) => renderTeam(visit, operators, { key: "", name: "", role: "viewer" }),
  activity: (visit) => {
    const listed = { activities: activities(), hasNewer: false, hasOlder: true };
    const there = [...operators, ...endpointsIn(visit.mode).map(({ endpoint }) => endpoint)];
    return renderActivity(visit, listed, new Set(there.map(({ id }) => id)));
  },
  settings: (visit) => renderSettings(visit),
};

const viewsOfNoMode: Record<string, () => View> = {
  "sign-in": () => renderSignIn(publicUrl),
  invitation: () => {
    const invited = { operator: operators[3], accounts };
    return renderInvitation(invited, "/dashboard/invitations/token");
  },
};

function visitIn(mode: Mode): Visit {
  const session = { operator: operators[0], accounts, expiresAtMs: nowMs };
  return createVisit(
    { session, account: accounts[0]!, mode, movesMoney: mode === "live", apiUrl: publicUrl },
    (path) => `/dashboard${path}`,
  );
}

const documents: [name: string, document: string][] = [
  ...modes.flatMap((mode) => {
    const visit = visitIn(mode);
    return Object.entries(viewsOfMode).map(([name, view]): [string, string] => [
      `${name}-${mode}`,
      renderPage(view(visit), visit),
    ]);
  }),
  ...Object.entries(viewsOfNoMode).map(([name, view]): [string, string] => [
    name,
    renderPage(view(), undefined),
  ]),
];

const folder = fileURLToPath(new URL("../../../../docs/dashboard", import.meta.url));
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const browser = await startBrowser();
for (const width of [360, 1440]) {
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width, height: width === 360 ? 740 : 900 };
    for (const [name, document] of documents) {
      const shown = await browser.newPage({ viewport, colorScheme, timezoneId: "UTC" });
      await shown.setContent(document);
      const path = `${folder}/${name}-${width}-${colorScheme}.png`;
      await shown.screenshot({ path, fullPage: true });
      await shown.close();
    }
  }
}
await browser.close();
