import { describe, expect, test } from "vitest";
import { parseError, parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

describe.concurrent("an empty setting", () => {
  test.each([
    ["--database is empty.", ["list", "--database", ""], {}],
    ["--database is empty.", ["keys", "list", "--database", " "], {}],
    ["--base-url is empty.", ["list", "--base-url", ""], {}],
    ["--api-key-file is empty.", ["list", "--api-key-file", ""], {}],
    ["--service-version is empty.", ["list", "--service-version", ""], {}],
    ["--fields is empty.", ["list", "--fields", "\t"], {}],
    ["--account is empty.", ["keys", "list", "--account", ""], {}],
    ["PAYMENTS_DATABASE is empty.", ["list"], { PAYMENTS_DATABASE: "" }],
    ["PAYMENTS_BASE_URL is empty.", ["whoami"], { PAYMENTS_BASE_URL: "" }],
    ["PAYMENTS_MODE is empty.", ["mode"], { PAYMENTS_MODE: " " }],
    ["PAYMENTS_SERVICE_VERSION is empty.", ["list"], { PAYMENTS_SERVICE_VERSION: "" }],
    ["PAYMENTS_API_KEY is empty.", ["list"], { PAYMENTS_API_KEY: "" }],
    ["PAYMENTS_API_KEY is empty.", ["whoami", "--offline"], { PAYMENTS_API_KEY: " " }],
  ])("is refused: %s", async (message, args, env) => {
    const ran = await runPayments([...args, "--json"], { env });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toBe(message);
  });

  test("is allowed for an unused secret, or for a text of a payment", async () => {
    const unused = {
      PAYMENTS_API_KEY: "",
      PAYMENTS_NETWORK_SECRET: "",
      PAYMENTS_STRIPE_SECRET_KEY: "",
    };
    expect((await runPayments(["mode"], { env: unused })).exitCode).toBe(0);
    expect((await runPayments(["keys", "list"], { env: unused })).exitCode).toBe(0);
    const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    const ran = await runPayments([...args, "--description", ""]);
    expect(parsePayment(ran)).toMatchObject({ status: "succeeded" });
  });
});
