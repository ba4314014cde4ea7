// Writes the screenshots of the dashboard to docs/dashboard/*.png: npm run screenshots
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { modes, type Mode } from "../../../../src/contract/key.ts";
import { renderActivity } from "../../../../src/service/web/dashboard/activity-page.ts";
import { renderPage, type View } from "../../../../src/service/web/dashboard/frame.ts";
import { renderInvitation } from "../../../../src/service/web/dashboard/invitation-page.ts";
import { renderKeys, renderNewKey } from "../../../../src/service/web/dashboard/keys-page.ts";
import { renderOverview } from "../../../../src/service/web/dashboard/overview-page.ts";
import { renderPayment } from "../../../../src/service/web/dashboard/payment-details-page.ts";
import { readPaymentFilter } from "../../../../src/service/web/dashboard/payment-filters.ts";
import { renderPayments } from "../../../../src/service/web/dashboard/payments-page.ts";
import { renderRefund } from "../../../../src/service/web/dashboard/refund-page.ts";
import { renderRequest } from "../../../../src/service/web/dashboard/request-details-page.ts";
import { renderRequests } from "../../../../src/service/web/dashboard/requests-page.ts";
import { renderSettings } from "../../../../src/service/web/dashboard/settings-page.ts";
import { renderSignIn } from "../../../../src/service/web/dashboard/sign-in-page.ts";
import { renderTeam } from "../../../../src/service/web/dashboard/team-page.ts";
import { renderWebhook } from "../../../../src/service/web/dashboard/webhook-endpoint-page.ts";
import {
  createEndpointForm,
  renderWebhooks,
} from "../../../../src/service/web/dashboard/webhooks-page.ts";
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
  overviewIn,
  paidByPage,
  paymentsIn,
  publicUrl,
  requestsIn,
} from "../../../testkit/pages/example-shop.ts";

const viewsOfMode: Record<string, (visit: Visit) => View> = {
  overview: (visit) => renderOverview(visit, overviewIn(visit.mode)),
  payments: (visit) =>
    renderPayments(visit, {
      items: paymentsIn(visit.mode),
      hasNewer: false,
      hasOlder: true,
      filters: [],
    }),
  "found-payments": (visit) =>
    renderPayments(visit, {
      items: paymentsIn(visit.mode).filter(({ customer }) => customer.name.startsWith("Margaret")),
      hasNewer: false,
      hasOlder: false,
      filters: [
        readPaymentFilter("search", "margaret"),
        readPaymentFilter("metadata[channel]", "shop"),
      ],
    }),
  payment: (visit) => {
    const { payment, history } = paidByPage(visit.mode);
    return renderPayment(visit, payment, {
      history,
      requests: { items: requestsIn(visit.mode).slice(0, 2), hasMore: true },
      justDone: null,
      isCancelable: false,
      isRefunding: false,
      atBankSinceMs: null,
    });
  },
  refund: (visit) => renderRefund(visit, paidByPage(visit.mode).payment, { key: "" }),
  keys: (visit) => renderKeys(visit, keysIn(visit.mode), { form: { key: "", name: "" }, nowMs }),
  "new-key": (visit) => {
    const [key] = keysIn(visit.mode);
    return renderNewKey(visit, { ...key!, key: madeUpKey(visit.mode) });
  },
  webhooks: (visit) => renderWebhooks(visit, endpointsIn(visit.mode), createEndpointForm("")),
  webhook: (visit) => {
    const [watched] = endpointsIn(visit.mode);
    return renderWebhook(visit, watched, { items: deliveries, hasNewer: false, hasOlder: false });
  },
  requests: (visit) =>
    renderRequests(visit, { items: requestsIn(visit.mode), hasNewer: false, hasOlder: true }, []),
  request: (visit) => renderRequest(visit, requestsIn(visit.mode)[2]!),
  team: (visit) => renderTeam(visit, operators, { key: "", name: "", role: "viewer" }),
  activity: (visit) => {
    const page = { items: activities(), hasNewer: false, hasOlder: true };
    const endpoints = endpointsIn(visit.mode).map(
      ({ endpoint: { id, url } }) => [id, url] as const,
    );
    return renderActivity(visit, page, {
      existing: new Map([...operators.map(({ id, name }) => [id, name] as const), ...endpoints]),
      payments: new Map(paymentsIn(visit.mode).map((payment) => [payment.id, payment])),
    });
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

function buildVisit(mode: Mode): Visit {
  const session = { operator: operators[0], accounts, expiresAtMs: nowMs };
  return createVisit(
    { session, account: accounts[0]!, mode, movesMoney: mode === "live", apiUrl: publicUrl },
    (path) => `/dashboard${path}`,
  );
}

const documents: [name: string, document: string][] = [
  ...modes.flatMap((mode) => {
    const visit = buildVisit(mode);
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
      const page = await browser.newPage({ viewport, colorScheme, timezoneId: "UTC" });
      await page.setContent(document);
      const path = `${folder}/${name}-${width}-${colorScheme}.png`;
      await page.screenshot({ path, fullPage: true });
      await page.close();
    }
  }
}
await browser.close();
