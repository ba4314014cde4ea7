import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";

const script = fileURLToPath(new URL("./stripe-sandbox.ts", import.meta.url));

/** Runs the script with only these variables; returns its output and exit code. */
async function runScript(env: Record<string, string>) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [script], { env: { PATH, ...env } });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = (await once(child, "exit")) as [number];
  return { exitCode, printed: (await printed).join("") };
}

test.each([{}, { PAYMENTS_STRIPE_SECRET_KEY: "sk_live_1" }])(
  "the sandbox is skipped with %j, with a message",
  async (env) => {
    const { exitCode, printed } = await runScript(env);
    expect(printed).toMatch(/^Skipped: .+\n$/);
    expect(exitCode).toBe(0);
  },
);

test("the sandbox is sent no card without encryption", async () => {
  const { exitCode, printed } = await runScript({
    PAYMENTS_STRIPE_SECRET_KEY: secretKey,
    PAYMENTS_STRIPE_BASE_URL: "http://stripe.example.com",
  });
  expect(printed).toMatch(/use https:/);
  expect(exitCode).toBe(2);
});

test.each([
  ["is tried", secretKey, 0],
  ["fails with another key", "sk_test_other", 1],
])("the sandbox %s", async (_, key, code) => {
  const { url, requests } = await startStripeStandIn();
  const { exitCode, printed } = await runScript({
    PAYMENTS_STRIPE_SECRET_KEY: key,
    PAYMENTS_STRIPE_BASE_URL: url,
  });
  expect({ exitCode, printed }).toMatchObject({ exitCode: code });
  expect(requests.length > 0).toBe(code === 0);
});
