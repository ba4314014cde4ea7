import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// A sandbox's clock is moved on, and may stand still: what runs in a sandbox, and what a command tells of one, reads
// no other clock. Elsewhere `clock`, `nowMs` or `now` is given.

/** The files that may read the machine's clock, and why. */
const readers = new Map([
  ["service/sandbox/sandbox-clock.ts", "the sandbox's clock itself"],
  ["service/server/open-service.ts", "gives the clock to all that is no sandbox"],
  ["service/database/ids.ts", "ids of all that is no sandbox"],
  ["service/server/index-process.ts", "a sandbox has no such process"],
  ["service/server/migrate-database.ts", "no sandbox"],
  ["service/server/run-service.ts", "a log is compared with other programs' logs"],
  ["service/server/doctor/check-database.ts", "no sandbox's database"],
  ["service/server/scheduler.ts", "wakes by due times, which a sandbox has its own way to do"],
  ["service/server/background-jobs.ts", "a sandbox has its own"],
  ["service/networks/stripe-network.ts", "a sandbox has no card network"],
  ["service/networks/card-network.ts", "an adapter outside"],
  ["service/networks/adapter-trial.ts", "an adapter outside"],
  ["service/web/dashboard/dashboard.js", "the browser's, corrected by the page's time"],
  ["service/server/serve-sandbox.ts", "signs at the real time where `signAt` says so"],
  [
    "client/receiver-trial.ts",
    "numbers payments, and signs at the real time where `signAt` says so",
  ],
  ["client/verify-webhook.ts", "a receiver's, which may give another time"],
  ["client/read-response.ts", "a `Retry-After` is waited for in real time"],
  ["client/checkout-page.ts", "a `Retry-After` is waited for in real time"],
  ["cli/config/service-address.ts", "what the service's time is compared with"],
  ["cli/doctor/contact-service.ts", "what the service's time is compared with"],
  ["cli/output/account-views.ts", "keys in a database, which no sandbox is"],
  ["cli/output/resource-text.ts", "a default"],
  ["cli/program/raw-request.ts", "a `Retry-After` is waited for in real time"],
  ["cli/prompts/ask-for-payment.ts", "a live card's expiry"],
  ["cli/commands/reconcile.ts", "the bank's books"],
  ["cli/commands/activity/list.ts", "of a database, which no sandbox is"],
  ["cli/commands/keys/create.ts", "of a database, which no sandbox is"],
  ["cli/commands/listen.ts", "checks a flag that is read again at the service's time"],
  ["cli/commands/report.ts", "checks flags that are read again at the service's time"],
  ["cli/commands/webhooks/recover.ts", "checks a flag that is read again at the service's time"],
]);

test("only these files read the machine's clock", () => {
  const found = globSync("src/**/*.{ts,js}")
    .filter((path) => /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(path, "utf8")))
    .map((path) => path.replace(/^src\//, ""));
  expect(new Set(found)).toEqual(new Set(readers.keys()));
});
