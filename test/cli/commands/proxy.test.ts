import { expect, test } from "vitest";
import { json, paymentWith, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createServiceEnv, parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

const payment = paymentWith();

test("a command goes through the proxy that HTTP_PROXY names", async () => {
  const proxy = await scriptedServer(json(200, payment));
  const env = { ...createServiceEnv("http://payments.invalid"), HTTP_PROXY: proxy.url };
  const ran = await runPayments(["get", payment.id, "--json", "--allow-http"], { env });
  expect(parsePayment(ran)).toEqual(payment);
  expect(proxy.requests.map(({ path }) => path)).toEqual([
    `http://payments.invalid/v1/payments/${payment.id}`,
  ]);
});

test("a command exits with 9 if the proxy is no valid address", async () => {
  const env = {
    ...createServiceEnv("https://payments.invalid"),
    HTTPS_PROXY: "http://user:secret@:x",
  };
  const ran = await runPayments(["get", payment.id], { env });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(ran.stderr).toBe("Error: HTTPS_PROXY is not the address of a proxy.\n");
});
