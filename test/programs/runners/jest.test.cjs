const { expect, test } = require("@jest/globals");

test("a sandbox in a CommonJS module of jest, by import()", async () => {
  const { expected, tryPackage } = await import("./try-package.mjs");
  expect(await tryPackage()).toEqual(expected);
});

test("a sandbox in a CommonJS module of jest, by require()", async () => {
  const { PaymentsClient, ApiError } = require("payments-cli/client");
  const { startService } = require("payments-cli/service");
  const { url, keys, close } = await startService({ sandbox: true });
  const client = new PaymentsClient({ baseUrl: url, apiKey: keys.test });
  await expect(client.payments.retrieve("pay_none")).rejects.toThrow(ApiError);
  await client.close();
  await close();
});
