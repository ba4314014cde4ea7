// Writes docs/dashboard/*.png as the browser shows the dashboard: npm run screenshots
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Mode } from "../../../src/contract/key.ts";
import type { Payment, PaymentStatus } from "../../../src/contract/payment.ts";
import { page, type View } from "../../../src/service/dashboard/views/frame.ts";
import { overviewView } from "../../../src/service/dashboard/views/overview.ts";
import { paymentsView } from "../../../src/service/dashboard/views/payments.ts";
import { refundView } from "../../../src/service/dashboard/views/refund.ts";
import { visitOf, type Visit } from "../../../src/service/dashboard/visit.ts";
import { firstDayOf, overviewOf, type Total } from "../../../src/service/domain/overview.ts";
import { startBrowser } from "../page/browser.ts";

const nowMs = Date.UTC(2026, 10, 22, 12);
const accounts = ["Shoes & Sons", "Hats"].map((name, index) => ({
  id: `acct_0199a1f2-0000-7000-8000-00000000000${index}`,
  object: "account" as const,
  name,
  default_version: "2026-11-01" as const,
  created: nowMs / 1000,
}));
const operator = {
  id: "op_0199a1f2-0000-7000-8000-000000000000",
  object: "operator" as const,
  name: "Ada Lovelace",
  role: "admin" as const,
  accounts: accounts.map(({ id }) => id),
  status: "active" as const,
  created: nowMs / 1000,
  last_seen_at: nowMs / 1000,
};

function visitIn(mode: Mode): Visit {
  const session = { operator, accounts, expiresAtMs: nowMs };
  return visitOf(
    { session, account: accounts[0]!, mode, movesMoney: mode === "live" },
    (path) => `/dashboard${path}`,
  );
}

const statuses: PaymentStatus[] = ["succeeded", "succeeded", "failed", "refunded", "pending"];
const people = ["Grace Hopper", "Alan Turing", "Katherine Johnson", "Edsger Dijkstra"];

function paymentAt(index: number, livemode: boolean): Payment {
  const status = statuses[index % statuses.length]!;
  const created = nowMs / 1000 - index * 5_417;
  const ended = (state: PaymentStatus) => (status === state ? created + 1 : null);
  const name = people[index % people.length]!;
  return {
    id: `pay_0199a1f2-7c41-7b3e-9d2a-${String(8_140_296_531_777 - index * 77_713_391).slice(-12)}`,
    object: "payment",
    amount: [4_999, 12_900, 89_950, 3_500][index % 4]!,
    currency: "eur",
    status,
    description: `Order ${6735 - index}`,
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
    customer: { name, email: `${name.split(" ")[0]!.toLowerCase()}@example.com` },
    metadata: { order_id: String(6735 - index) },
    decline_code: status === "failed" ? "insufficient_funds" : null,
    decline_message: null,
    redirect_url: null,
    refunded_at: ended("refunded"),
    succeeded_at: status === "refunded" ? created : ended("succeeded"),
    failed_at: ended("failed"),
    created,
    livemode,
  };
}

/** Thirty days of a shop that sells more at the end of a week. */
function overview() {
  const firstDay = firstDayOf(nowMs);
  const totals = Array.from({ length: 30 }, (_, index): Total[] => {
    const payments = Math.round(40 + 18 * Math.sin(index / 1.1) + index);
    const of = (status: PaymentStatus, count: number, code = "") => ({
      day: firstDay + index,
      currency: "eur",
      status,
      code,
      payments: count,
      amount: count * 6_213,
    });
    return [
      of("succeeded", payments),
      of("refunded", index % 4),
      of("failed", 3 + (index % 3), "insufficient_funds"),
      of("failed", 2, "generic_decline"),
    ];
  });
  return overviewOf(totals.flat(), { firstDay, until: nowMs / 1000 });
}

const views: Record<string, (visit: Visit) => View> = {
  overview: (visit) => overviewView(visit, overview()),
  payments: (visit) =>
    paymentsView(visit, {
      payments: Array.from({ length: 12 }, (_, index) => paymentAt(index, visit.scope.livemode)),
      hasNewer: false,
      hasOlder: true,
      filters: { status: "", from: "", to: "" },
      soughtId: "",
      mistakes: {},
    }),
  refund: (visit) => refundView(visit, paymentAt(0, visit.scope.livemode), { key: "" }),
};

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5 };
const desktop = { viewport: { width: 1280, height: 800 } };
const pictures = [
  { view: "overview", mode: "live", size: desktop, name: "desktop", colorScheme: "light" },
  { view: "payments", mode: "test", size: desktop, name: "desktop", colorScheme: "dark" },
  { view: "payments", mode: "live", size: phone, name: "phone", colorScheme: "light" },
  { view: "refund", mode: "live", size: phone, name: "phone", colorScheme: "dark" },
] as const;

const folder = fileURLToPath(new URL("../../../docs/dashboard", import.meta.url));
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
for (const { view, mode, size, name, colorScheme } of pictures) {
  const shown = await browser.newPage({ ...size, colorScheme, timezoneId: "UTC" });
  const visit = visitIn(mode);
  await shown.setContent(page(views[view]!(visit), visit));
  const path = `${folder}/${view}-${mode}-${name}-${colorScheme}.png`;
  await shown.screenshot({ path, fullPage: true });
  await shown.close();
}
await browser.close();
