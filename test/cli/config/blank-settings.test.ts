import { expect, test } from "vitest";
import { parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

test.concurrent("an empty setting is allowed for an unused secret, or for a text of a payment", async () => {
  const unused = {
    PAYMENTS_API_KEY: "",
    PAYMENTS_NETWORK_SECRET: "",
    PAYMENTS_STRIPE_SECRET_KEY: "",
  };
  expect((await runPayments(["mode"], { env: unused })).exitCode).toBe(0);
  expect((await runPayments(["migrate"], { env: unused })).exitCode).toBe(0);
  const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
  const ran = await runPayments([...args, "--description", ""]);
  expect(parsePayment(ran)).toMatchObject({ status: "succeeded" });
});
