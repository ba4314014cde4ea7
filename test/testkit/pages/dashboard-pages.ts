import type { Mode } from "../../../src/contract/field-values.ts";
import { renderActivity } from "../../../src/service/web/dashboard/activity-page.ts";
import {
  renderAmount,
  renderBadge,
  renderCard,
  renderCommand,
  renderCopy,
  renderEmpty,
  renderFacts,
  renderField,
  renderId,
  renderNotice,
  renderSelect,
  renderShortId,
  renderStatus,
  renderTime,
} from "../../../src/service/web/dashboard/elements.ts";
import { renderRecover, renderTest } from "../../../src/service/web/dashboard/endpoint-actions.ts";
import { renderConfirmation } from "../../../src/service/web/dashboard/forms.ts";
import { type View, renderFailure, renderPage } from "../../../src/service/web/dashboard/frame.ts";
import {
  createKeyForm,
  renderKeys,
  renderNewKey,
} from "../../../src/service/web/dashboard/keys-page.ts";
import {
  type Column,
  createNumberColumn,
  createTextColumn,
  createTimeColumn,
  renderPageLinks,
  renderTable,
} from "../../../src/service/web/dashboard/list-elements.ts";
import { renderOverview } from "../../../src/service/web/dashboard/overview-page.ts";
import {
  describeCancellation,
  renderPayment,
} from "../../../src/service/web/dashboard/payment-details-page.ts";
import { readPaymentFilter } from "../../../src/service/web/dashboard/payment-filters.ts";
import { renderPayments } from "../../../src/service/web/dashboard/payments-page.ts";
import { renderRefund } from "../../../src/service/web/dashboard/refund-page.ts";
import { renderRequest, renderRequests } from "../../../src/service/web/dashboard/requests-page.ts";
import { renderSettings } from "../../../src/service/web/dashboard/settings-page.ts";
import { renderInvitation, renderSignIn } from "../../../src/service/web/dashboard/sign-in-page.ts";
import {
  describeRemoval,
  renderOperator,
  renderTeam,
} from "../../../src/service/web/dashboard/team-page.ts";
import { type Visit, createVisit } from "../../../src/service/web/dashboard/visit.ts";
import {
  renderDelivery,
  renderWebhook,
} from "../../../src/service/web/dashboard/webhook-endpoint-page.ts";
import {
  createEndpointForm,
  renderWebhooks,
} from "../../../src/service/web/dashboard/webhooks-page.ts";
import { html } from "../../../src/service/web/design/html.ts";
import { deliveryTries, madeUpKey, nowMs, publicUrl } from "./example-shop.ts";
import { type Shop, shops } from "./kinds-of-shops.ts";

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
        endpoints: new Set(shop.endpoints.map(({ endpoint }) => endpoint.id)),
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
    keys: renderKeys(visit, shop.keys, { form: createKeyForm(""), nowMs }),
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

const seconds = nowMs / 1000;
const id = "pay_0199a1f2-7c41-7b3e-9d2a-814029653177";
const long = "A text that is longer than the column or the card that it stands in. ".repeat(4);
const card = {
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  country: "US",
} as const;

const rows = [
  { id: "1", name: "Short", amount: 4_999, created: seconds },
  { id: "2", name: long, amount: 999_999_999, created: null },
  { id: "3", name: "شركة النقل والتجارة الدولية", amount: 0, created: seconds },
];

const large = { amount: 999_999_999, currency: "eur" } as const;

const columns: Column<(typeof rows)[number]>[] = [
  createTextColumn("Name", ({ name }) => name),
  {
    title: "Amount",
    isNumber: true,
    cell: ({ amount }) => renderAmount({ amount, currency: "eur" }),
  },
  createNumberColumn("Attempts", () => 3),
  createTimeColumn("Created", ({ created }) => created, { none: "never" }),
  { title: "State", cell: () => renderBadge("Active", "good") },
  { title: "ID", cell: () => renderShortId(id) },
  {
    title: "Actions",
    isActions: true,
    cell: () =>
      html`<div class="row"><a href="#words">Roll…</a> <button class="link">Resend</button></div>`,
  },
];

/** A page of all elements in all their states, which is drawn and measured, and served to nobody. */
function renderElements(): View {
  const states = ["succeeded", "pending", "failed", "refunded"] as const;
  return {
    title: "Elements",
    content: html`${renderNotice("wrong", "What went wrong, and what to do.")}
      ${renderNotice("waiting", "Something is still under way.")}
      ${renderNotice("good", "What was done.")} ${renderNotice("good", long)}
      <section class="sheet" aria-labelledby="words">
        <h2 id="words">Words</h2>
        <p class="row">
          ${states.map(renderStatus)} ${renderBadge("Plain")} ${renderBadge("Good", "good")}
        </p>
        <p>
          A sentence with <a href="#words">a link</a>, an amount ${renderAmount(large)}, a time
          ${renderTime(seconds)}, a card ${renderCard(card)} and an id ${renderShortId(id)}.
        </p>
        <p>${renderId(id)} ${renderCopy(id)}</p>
        <p class="small quiet-text">Small and quiet.</p>
        ${renderCommand("payments create --mode test --amount 4999 --currency eur --test-card visa")}
      </section>
      <section class="sheet" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        ${renderFacts([
          ["Name", "A value"],
          ["A longer name of a value", html`<bdi>${long}</bdi>`],
          ["Amount", renderAmount({ amount: 4_999, currency: "usd" })],
          ["Created", renderTime(seconds)],
          ["Without a value", null],
        ])}
      </section>
      <div class="row">
        <button class="primary">Primary</button> <button class="secondary">Secondary</button>
        <button class="dangerous">Dangerous</button> <button class="quiet">Quiet</button>
        <button class="link">Link</button>
        <button class="primary" disabled>Disabled</button>
        <a class="secondary" href="#words">A link as a button</a>
      </div>
      <form class="sheet steps">
        ${renderField({ name: "plain", label: "Field", input: html`value="A value"` })}
        ${renderField({ name: "hinted", label: "With a hint", hint: "What to write, such as shop.", input: html`` })}
        ${renderField({ name: "mistaken", label: "With a mistake", mistake: "Enter a date, such as 2026-11-30.", input: html`value="x"` })}
        ${renderField({ name: "buttoned", label: "With a button", input: html``, button: html`<button class="secondary">Search</button>` })}
        ${renderSelect({
          name: "select",
          label: "Select",
          options: [
            ["a", "One of several"],
            ["b", long],
          ],
          selected: "a",
        })}
        <label class="choice"><input type="checkbox" checked /> Chosen</label>
        <label class="choice"><input type="checkbox" /> ${long}</label>
      </form>
      ${renderTable("Rows", columns, rows)}
      ${renderPageLinks("More rows", { items: rows, hasNewer: true, hasOlder: true }, "#")}
      ${renderEmpty(
        "Nothing yet",
        html`<p>What this page is for, and the one next step.</p>
          ${renderCommand("payments keys create --mode test --name shop")}`,
      )}
      <details class="sheet">
        <summary>Folded</summary>
        <p>${long}</p>
      </details>
      <details class="sheet" open>
        <summary>Unfolded</summary>
        <p>${long}</p>
      </details>`,
  };
}
