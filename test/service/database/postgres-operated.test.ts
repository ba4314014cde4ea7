import { expect, test } from "vitest";
import { listening } from "../../testkit/client/running-service.ts";

test("a service on PostgreSQL tells that it is ready, and how its connections are used", async () => {
  const { url } = await listening();
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^payments_store_connections\{state="idle"\} [1-9]/m);
  expect(metrics).toMatch(/^payments_store_up 1$/m);
  expect(metrics).toMatch(/^payments_settlements_due 0$/m);
});
