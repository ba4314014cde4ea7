import { reportFailure, reportOk, reportWarning, type Check } from "../../../contract/doctor.ts";
import { formatDuration } from "../../../runtime/time.ts";
import type { Endpoint } from "../../webhooks/endpoint-state.ts";
import type { Scope } from "../../database/scope.ts";
import { createEventStore } from "../../webhooks/webhooks-store.ts";
import { createPaymentStore } from "../../payments/payments-store.ts";
import { batch, readOne, type Driver } from "../../database/driver.ts";
import { selectAccounts } from "../../accounts/accounts-store.ts";
import { selectEndpoints } from "../../webhooks/webhook-endpoints-sql.ts";
import type { Step } from "./run-steps.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** From which age on due work is a warning, and a failure; docs/operating.md recommends alerts at the former. */
const ages = {
  settlements: { warnMs: minuteMs, failMs: 10 * minuteMs },
  charges: { warnMs: 10 * minuteMs, failMs: hourMs },
  webhooks: { warnMs: hourMs, failMs: 24 * hourMs },
};

/** Their endpoints are looked at in one round trip. */
const maxAccounts = 500;
const maxNamed = 5;

/** `isServed`: whether a service is expected to do what is due; else the next command settles payments. */
type Backlog = { nowMs: number; isServed: boolean };

/** Checks of work that is due and not done: pending payments, charges at the card network, and webhooks. */
export function listBacklogSteps(driver: Driver, { nowMs, isServed }: Backlog): Step[] {
  const payments = createPaymentStore(driver);
  const events = createEventStore(driver);
  let found: Promise<Endpoint[]> | undefined;
  const findEndpoints = async () => (found ??= listEndpoints(driver));
  return [
    {
      name: "settlements",
      help: "payments migrate --dry-run",
      run: async () => {
        const { due, oldestAgeMs } = await payments.measureBacklog(nowMs);
        if (due === 0) return reportOk("settlements", "No pending payment is due.");
        const detail = `Pending payments that are due: ${due}, the oldest for ${formatDuration(oldestAgeMs)}`;
        if (!isServed) return reportOk("settlements", `${detail}; the next command settles them.`);
        return judge("settlements", `${detail}.`, oldestAgeMs, "payments serve");
      },
    },
    {
      name: "charges",
      help: "payments migrate --dry-run",
      run: async () => {
        const { undecided, oldestUndecidedAgeMs: ageMs } = await payments.measureBacklog(nowMs);
        if (undecided === 0)
          return reportOk("charges", "The card network has decided every charge.");
        const detail = `Charges, cancellations and refunds that the card network has not decided: ${undecided}, the oldest for ${formatDuration(ageMs)}.`;
        return judge("charges", detail, ageMs, "payments network check URL");
      },
    },
    {
      name: "webhooks",
      help: "payments migrate --dry-run",
      run: async () => {
        const { count, oldestAgeMs } = await events.measureWebhookBacklog(nowMs);
        if (count === 0) return reportOk("webhooks", "Every webhook has been delivered.");
        const detail = `Webhooks that are not delivered yet: ${count}, the oldest for ${formatDuration(oldestAgeMs)}.`;
        const [failing] = (await findEndpoints())
          .filter(({ status, failingSinceMs }) => status === "enabled" && failingSinceMs !== null)
          .toSorted((one, other) => (one.failingSinceMs ?? 0) - (other.failingSinceMs ?? 0));
        const help = failing ? `payments webhooks deliveries ${failing.id}` : "payments serve";
        return judge("webhooks", detail, oldestAgeMs, help);
      },
    },
    {
      name: "endpoints",
      help: "payments webhooks list",
      run: async () => {
        const disabled = (await findEndpoints()).filter(({ disabledReason }) => disabledReason);
        const [first] = disabled;
        if (!first) return reportOk("endpoints", "No webhook endpoint was disabled for failing.");
        const named = disabled.slice(0, maxNamed).map(({ id }) => id);
        const more = disabled.length > named.length ? " and others" : "";
        const detail = `Webhook endpoints that were disabled because they failed: ${named.join(", ")}${more}.`;
        return reportWarning("endpoints", detail, `payments webhooks enable ${first.id}`);
      },
    },
  ];
}

function judge(name: keyof typeof ages, detail: string, ageMs: number, help: string): Check {
  const { warnMs, failMs } = ages[name];
  if (ageMs < warnMs) return reportOk(name, detail);
  return ageMs < failMs ? reportWarning(name, detail, help) : reportFailure(name, detail, help);
}

/** The webhook endpoints of the first accounts, without listeners. */
async function listEndpoints(driver: Driver): Promise<Endpoint[]> {
  const accounts = (await readOne(driver, selectAccounts())).slice(0, maxAccounts);
  const scopes = accounts.flatMap(({ id: accountId }): Scope[] => [
    { accountId, livemode: false },
    { accountId, livemode: true },
  ]);
  if (scopes.length === 0) return [];
  const lists = await driver.read(() => batch(...scopes.map(selectEndpoints)));
  return lists.flat().filter(({ url }) => url !== null);
}
