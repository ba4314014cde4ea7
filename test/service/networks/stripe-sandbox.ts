// Tries the adapter against a real sandbox of Stripe's: npm run stripe:sandbox
import { fileURLToPath } from "node:url";
import { isLoopback } from "../../../src/runtime/transport-safety.ts";

const { PAYMENTS_STRIPE_SECRET_KEY: key = "", PAYMENTS_STRIPE_BASE_URL: url } = process.env;
if (!key.startsWith("sk_test_")) {
  console.log("Skipped: PAYMENTS_STRIPE_SECRET_KEY holds no test key of Stripe's (sk_test_…).");
} else if (url !== undefined && !url.startsWith("https:") && !isLoopback(new URL(url).hostname)) {
  console.error("PAYMENTS_STRIPE_BASE_URL: use https://, or on this machine http://127.0.0.1.");
  process.exitCode = 2;
} else {
  const { startVitest } = await import("vitest/node");
  await startVitest("test", [], {
    config: false,
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["service/networks/stripe-sandbox-promises.ts"],
    setupFiles: ["testkit/runner/around-each-file.ts"],
    testTimeout: 300_000,
    reporters: ["verbose"],
    watch: false,
  });
}
