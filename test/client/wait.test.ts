import { describe, expect, test } from "vitest";
import { waitUntilSettled } from "../../src/client/calls.ts";
import { body, declining, runningService } from "../testkit/client/running-service.ts";
import { json, paymentWith, scriptedServer } from "../testkit/client/scripted-server.ts";

const service = runningService({ processingTimeMs: 300 });

describe("waiting for an outcome", () => {
  test("ends when the payment is no longer pending", async () => {
    const { payments } = service.client();
    const pending = await payments.create({ ...body, card: declining });
    expect(pending.status).toBe("pending");
    expect(await payments.settled(pending)).toMatchObject({
      id: pending.id,
      status: "failed",
      decline_code: "generic_decline",
    });
  });

  test("sends nothing for a payment that is no longer pending", async () => {
    const server = await scriptedServer(json(200, paymentWith()));
    const { payments } = service.client({ baseUrl: server.url });
    const failed = paymentWith({ status: "failed" });
    expect(await payments.settled(failed)).toBe(failed);
    expect(server.requests).toEqual([]);
  });

  test("returns the last state of the payment when the time is over", async () => {
    const server = await scriptedServer(json(200, paymentWith({ status: "pending", amount: 2 })));
    const { payments } = service.client({ baseUrl: server.url });
    const startMs = performance.now();
    const seen = await payments.settled(paymentWith({ status: "pending", amount: 1 }), 400);
    expect(seen).toMatchObject({ status: "pending", amount: 2 });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(395);
    // After 100, 250 and 400 ms, at growing intervals, and once more at the end.
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test("throws the error of its request", async () => {
    const pending = paymentWith({ status: "pending" });
    const gone = new Error("gone");
    const retrieve = async () => {
      throw gone;
    };
    await expect(waitUntilSettled(pending, retrieve, 1_000)).rejects.toBe(gone);
  });

  test("for 0 ms sends nothing", async () => {
    const pending = paymentWith({ status: "pending" });
    expect(await waitUntilSettled(pending, async () => paymentWith(), 0)).toBe(pending);
  });
});
