import { expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";

test("the audit log names the key that made a change; payments that it creates and reads are not in it", async () => {
  const { call, service } = await openAppForTest();
  const post = async (path: string, body: object = {}) =>
    JSON.parse((await call({ method: "POST", path, body })).text) as { id: string };
  const payment = (await post("/v1/payments", bodyWith({}))) as Payment;
  const endpoint = await post("/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
  const itself = `/v1/webhook_endpoints/${endpoint.id}`;
  await call({ path: itself });
  await post(itself, { description: "Ours" });
  await post(itself, { status: "disabled" });
  await post(itself, { status: "enabled" });
  await post(`${itself}/roll`);
  const event = payment.id.replace("pay_", "evt_");
  await post(`/v1/events/${event}/resend`, { endpoint: endpoint.id });
  await post(`/v1/payments/${payment.id}/refund`);
  await call({ method: "DELETE", path: itself });
  const key = (await service.listKeys()).find(({ mode }) => mode === "test");
  const { items } = await service.listActivity(key?.account ?? "", {});
  expect(items.map(({ action, subject }) => [action, subject.id])).toEqual([
    ["webhook_endpoint.deleted", endpoint.id],
    ["payment.refunded", payment.id],
    ["event.resent", event],
    ["webhook_endpoint.rolled", endpoint.id],
    ["webhook_endpoint.enabled", endpoint.id],
    ["webhook_endpoint.disabled", endpoint.id],
    ["webhook_endpoint.updated", endpoint.id],
    ["webhook_endpoint.created", endpoint.id],
  ]);
  const actor = { type: "api_key", id: key?.id, name: key?.name };
  for (const each of items) expect(each).toMatchObject({ actor, livemode: false });
});
