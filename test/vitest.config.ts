import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst, skippedReporter } from "./testkit/runner/run-order.ts";

/** These tests depend on a store's driver, so they run on each; all others run once. */
const onBothStores = [
  "service/{database/{older-program,store,written-twice},search/{search-{rules,model},unindexed-memory}}.test.ts",
  "service/checkout/{expire-pages,pay-page*}.test.ts",
  "service/history/get-history.test.ts",
  "service/idempotency/run-idempotently*.test.ts",
  "service/payments/{ask-network*,list-payments*,refund-payment,settle-charges}.test.ts",
  "service/reports/count-totals.test.ts",
  "service/webhooks/event-log*.test.ts",
  "cli/commands/keys/accounts.test.ts",
  "e2e/{one-key,webhooks}-killed.test.ts",
];
const onPostgresOnly = [
  "service/database/postgres*.test.ts",
  "service/server/*-on-postgres.test.ts",
  "e2e/{network-killed,replicas-*,search-killed,totals-killed}.test.ts",
];
/** These tests change their whole process: the clock that all its ids follow. */
const isolated = [
  "service/{database/ids,server/challenge-metrics}.test.ts",
  "service/web/dashboard/{invitations,payment}.test.ts",
];
const inBrowser = [
  "service/web/checkout/{accessibility,paying,typing}.test.ts",
  "service/web/dashboard/{charts,layout,script}.test.ts",
  "e2e/{dashboard,hosted-page}*.test.ts",
];

/** `npm run package` runs these on the executable that it has made. */
const packaged = ["e2e/executable{,-invocations}.test.ts"];

const file = (name: string) => join(import.meta.dirname, name);

// Workers, and the programs that tests start from source, compile what they import only once.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");

export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The project's modules are evaluated once a worker, not once a file, which halves the time.
    isolate: false,
    maxWorkers: availableParallelism() * 4, // many tests wait more than they work
    sequence: { sequencer: SlowFirst },
    reporters: ["default", skippedReporter],
    setupFiles: [file("testkit/runner/around-each-file.ts")],
    // Generous: they only end a test that would never end, on a slow machine too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "browser",
          include: inBrowser,
          globalSetup: [
            file("testkit/runner/folder-for-all.ts"),
            file("testkit/runner/browser-for-all.ts"),
          ],
          provide: { postgresUrl: undefined },
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: isolated,
          isolate: true,
          globalSetup: [file("testkit/runner/folder-for-all.ts")],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: [...onBothStores, ...onPostgresOnly],
          setupFiles: [file("testkit/runner/ids-follow-time.ts")],
          globalSetup: [
            file("testkit/runner/folder-for-all.ts"),
            file("testkit/runner/postgres-for-all.ts"),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["**/*.test.ts"],
          exclude: [...inBrowser, ...isolated, ...onPostgresOnly, ...packaged],
          setupFiles: [file("testkit/runner/ids-follow-time.ts")],
          globalSetup: [file("testkit/runner/folder-for-all.ts")],
          provide: { postgresUrl: undefined },
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: packaged,
          globalSetup: [
            file("testkit/runner/folder-for-all.ts"),
            file("testkit/runner/postgres-for-all.ts"),
          ],
        },
      },
    ],
  },
});
