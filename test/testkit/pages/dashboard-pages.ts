import type { Mode } from "../../../src/contract/field-values.ts";
import { renderActivity } from "../../../src/service/web/dashboard/activity-page.ts";
import {
  describeCancellation,
  renderPayment,
} from "../../../src/service/web/dashboard/payment-details-page.ts";
import {
  renderDelivery,
  renderWebhook,
} from "../../../src/service/web/dashboard/webhook-endpoint-page.ts";
import { renderConfirmation } from "../../../src/service/web/dashboard/forms.ts";
import { renderFailure, renderPage, type View } from "../../../src/service/web/dashboard/frame.ts";
import { renderInvitation, renderSignIn } from "../../../src/service/web/dashboard/sign-in-page.ts";
import { renderKeys, renderNewKey } from "../../../src/service/web/dashboard/keys-page.ts";
import {
  describeRemoval,
  renderOperator,
  renderTeam,
} from "../../../src/service/web/dashboard/team-page.ts";
import { renderOverview } from "../../../src/service/web/dashboard/overview-page.ts";
import { readPaymentFilter } from "../../../src/service/web/dashboard/payment-filters.ts";
import { renderPayments } from "../../../src/service/web/dashboard/payments-page.ts";
import { renderRecover, renderTest } from "../../../src/service/web/dashboard/endpoint-actions.ts";
import { renderRefund } from "../../../src/service/web/dashboard/refund-page.ts";
import { renderRequest, renderRequests } from "../../../src/service/web/dashboard/requests-page.ts";
import { renderSettings } from "../../../src/service/web/dashboard/settings-page.ts";
import {
  createEndpointForm,
  renderWebhooks,
} from "../../../src/service/web/dashboard/webhooks-page.ts";
import { createVisit, type Visit } from "../../../src/service/web/dashboard/visit.ts";
import { deliveryTries, madeUpKey, nowMs, publicUrl } from "./example-shop.ts";
import { renderElements } from "./element-states.ts";
import { shops, type Shop } from "./kinds-of-shops.ts";

const noNeighbors = { hasNewer: false, hasOlder: false };
const older = { hasNewer: false, hasOlder: true };

function listViews(visit: Visit, shop: Shop): Record<string, View | undefined> {
  const { mode } = visit;
  const [key] = shop.keys;
  const [watched] = shop.endpoints;
  const [delivery] = shop.deliveries;
  const { paid, requests, operators: team } = shop;
  const [, colleague] = team;
  const existing = [
    ...team.map(({ id, name }) => [id, name] as const),
    ...shop.endpoints.map(({ endpoint: { id, url } }) => [id, url] as const),
  ];
  return {
    overview: renderOverview(visit, shop.overview),
    payments: renderPayments(visit, { items: shop.payments, ...older, filters: [] }),
    "found-payments": renderPayments(visit, {
      items: shop.payments.slice(0, 3),
      ...noNeighbors,
      filters: [
        readPaymentFilter("search", "margaret"),
        readPaymentFilter("metadata[channel]", "shop"),
      ],
    }),
    payment:
      paid &&
      renderPayment(visit, paid.payment, {
        history: paid.history,
        actor: undefined,
        requests: { items: requests.slice(0, 2), hasMore: true },
        justDone: null,
        isCancelable: false,
        isRefunding: false,
        atBankSinceMs: null,
      }),
    refund: paid && renderRefund(visit, paid.payment, { key: "" }),
    cancel:
      paid &&
      renderConfirmation(
        describeCancellation(visit, { payment: paid.payment, isCancelable: true }),
      ),
    requests: renderRequests(visit, { items: requests, ...older }, []),
    request: requests[2] && renderRequest(visit, requests[2]),
    keys: renderKeys(visit, shop.keys, { form: { key: "", name: "" }, nowMs }),
    "new-key": key && renderNewKey(visit, { ...key, key: madeUpKey(mode) }),
    webhooks: renderWebhooks(visit, shop.endpoints, createEndpointForm("")),
    webhook: watched && renderWebhook(visit, watched, { items: shop.deliveries, ...noNeighbors }),
    "new-webhook": watched && renderWebhook(visit, watched, { items: [], ...noNeighbors }),
    recover: watched && renderRecover(visit, watched.endpoint),
    test: watched && shop.test && renderTest(visit, watched.endpoint, shop.test),
    delivery:
      watched &&
      delivery &&
      renderDelivery(visit, watched.endpoint.id, {
        ...delivery,
        attempts: deliveryTries.length,
        tries: deliveryTries,
      }),
    team: renderTeam(visit, team, { key: "", name: "", role: "viewer" }),
    operator: colleague && renderOperator(visit, colleague),
    "remove-operator": colleague && renderConfirmation(describeRemoval(visit, colleague)),
    activity: renderActivity(
      visit,
      { items: shop.activities, ...older },
      {
        existing: new Map(existing),
        payments: new Map(shop.payments.map((payment) => [payment.id, payment])),
      },
    ),
    settings: renderSettings(visit),
    "not-found": renderFailure(404, "/dashboard"),
    elements: renderElements(),
  };
}

const addressIn = (path: string) => `/dashboard${path}`;

function buildVisit(mode: Mode, { accounts: [account, ...others], operators: [operator] }: Shop) {
  const session = {
    operator: operator!,
    accounts: [account!, ...others],
    expiresAtMs: nowMs,
  };
  const context = { session, account: account!, mode, movesMoney: mode === "live" };
  return createVisit(
    { ...context, apiUrl: publicUrl, nowMs, isSandbox: false, publishedKey: undefined },
    addressIn,
  );
}

/** A name for a picture of it, and the whole document. */
type DashboardPage = [name: string, document: string];

/** Every page of an account and mode that has something to show. */
export function listDashboardPages(kind: keyof typeof shops, mode: Mode): DashboardPage[] {
  const shop = shops[kind](mode);
  const visit = buildVisit(mode, shop);
  return Object.entries(listViews(visit, shop)).flatMap(([name, view]): DashboardPage[] =>
    view ? [[name, renderPage(view, addressIn, visit)]] : [],
  );
}

/** The document of a view, for an admin of an account in test mode. */
export function renderForAdmin(render: (visit: Visit) => View): string {
  const visit = buildVisit("test", shops.usual("test"));
  return renderPage(render(visit), addressIn, visit);
}

/** The pages without an account. */
export function listOuterPages(kind: keyof typeof shops): DashboardPage[] {
  const { operators: team, accounts: all } = shops[kind]("test");
  const operator = team.at(-1)!;
  const invitation = { operator, accounts: all };
  return [
    ["sign-in", renderPage(renderSignIn(publicUrl), addressIn)],
    ["invitation", renderPage(renderInvitation(invitation, "/dashboard/x"), addressIn)],
    ["outer-not-found", renderPage(renderFailure(404, "/dashboard"), addressIn)],
  ];
}
