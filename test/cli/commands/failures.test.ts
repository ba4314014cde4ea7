import { describe, expect, test } from "vitest";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";
import { against, errorIn, runPayments } from "../../testkit/command/run-payments.ts";

const service = runningService();
const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];

describe.concurrent("a service that refuses", () => {
  test("an unknown key: exit 4", async () => {
    const ran = await runPayments(["list", "--json"], { env: against(service.url) });
    expect(ran.exitCode).toBe(4);
    expect(errorIn(ran)).toMatchObject({
      type: "authentication_error",
      code: "invalid_api_key",
      http_status: 401,
      hint: expect.stringContaining("payments login") as unknown,
    });
    expect(ran.stderr).not.toContain(someKeys.test);
  });

  test("an idempotency key used for another request: exit 6", async () => {
    await service.client().payments.create(body, { idempotencyKey: "used" });
    const env = against(service.url, service.keys.test);
    const ran = await runPayments([...create, "--json", "--idempotency-key", "used"], { env });
    expect(ran.exitCode).toBe(6);
    expect(errorIn(ran)).toMatchObject({ code: "idempotency_key_reused", http_status: 409 });
  });

  test("what is malformed: exit 2, with the parameter", async () => {
    const env = against(service.url, service.keys.test);
    const args = ["create", "--data", "-", "--json"];
    const ran = await runPayments(args, { env, stdin: '{"amount":0,"currency":"eur"}' });
    expect(ran.exitCode).toBe(2);
    expect(errorIn(ran)).toMatchObject({ http_status: 400, type: "invalid_request_error" });
    expect(["amount", "card"]).toContain(errorIn(ran)["param"]);
  });
});
