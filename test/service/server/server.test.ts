import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { serve } from "../../../src/service/server/server.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { listening, request, settings } from "../../testkit/sockets/listening-server.ts";
import { temporaryFile } from "../../testkit/temporary-file.ts";
import { freePort } from "../../testkit/sockets/free-port.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";

test("a running service records the use of keys", async () => {
  const server = await listening();
  const listLastUses = async () =>
    (await server.service.listKeys()).map(({ last_used_at }) => last_used_at);
  expect(await listLastUses()).toEqual([null]);
  const fromSeconds = Math.floor(Date.now() / 1000);
  await request(server, "/v1/payments", bodyWith({}));
  const [usedAt] = await vi.waitFor(
    async () => {
      const uses = await listLastUses();
      expect(uses).not.toEqual([null]);
      return uses;
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(usedAt).toBeGreaterThanOrEqual(fromSeconds);
});

describe("listening", () => {
  test("on port 0 uses a free port, and reports it", async () => {
    const [first, second] = [await listening(), await listening()];
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(second.url).not.toBe(first.url);
  });

  test("on every address reports an address that can be opened", async () => {
    const server = await listening({ host: "0.0.0.0" });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${server.url}/docs/errors`)).status).toBe(200);
  });

  test("on a port in use fails with a hint to the option", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const database = await newDatabase(temporaryFile());
    const refused = serve({ ...settings, database, port });
    await expect(refused).rejects.toThrow(Unavailable);
    await expect(refused).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`);
    await expect(refused).rejects.toThrow("--port");
  });

  test("with a metrics port in use fails, and closes the main port", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port: metricsPort } = other.address() as AddressInfo;
    const database = await newDatabase(temporaryFile());
    const port = await freePort();
    const refused = serve({ ...settings, database, port, metricsPort });
    await expect(refused).rejects.toThrow(Unavailable);
    await expect(refused).rejects.toThrow(
      `Port ${metricsPort} of 127.0.0.1 is in use. Choose another one with --metrics-port, or --metrics-port 0 for any.`,
    );
    await expect(fetch(`http://127.0.0.1:${port}/docs/errors`)).rejects.toThrow("fetch failed");
    other.close();
    await once(other, "close");
    const started = await listening({ database, port, metricsPort });
    expect(started.metricsUrl).toBe(`http://127.0.0.1:${metricsPort}`);
  });

  test("on an address of another machine fails, and names it", async () => {
    const refused = serve({ ...settings, host: "192.0.2.1" });
    await expect(refused).rejects.toThrow(Unavailable);
    await expect(refused).rejects.toThrow("cannot listen on 192.0.2.1");
  });
});

describe("settling", () => {
  const declined = bodyWith({ card: cardWith({ number: "4000000000009995" }) });

  test("fails a declined payment without a request", async () => {
    const server = await listening({ processingTimeMs: 10 });
    const pending = await request(server, "/v1/payments", declined);
    expect(pending.status).toBe("pending");
    await expect
      .poll(async () => request(server, `/v1/payments/${pending.id}`))
      .toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  });

  test("waits for the processing time", async () => {
    const server = await listening({ processingTimeMs: 3_600_000, hppExpiryMs: 50 });
    const pending = await request(server, "/v1/payments", declined);
    const page = await request(server, "/v1/payments/hpp", { amount: 1, currency: "eur" });
    await expect
      .poll(async () => request(server, `/v1/payments/${page.id}`))
      .toMatchObject({ decline_code: "hpp_expired" }); // by then, due payments have been settled
    expect((await request(server, `/v1/payments/${pending.id}`)).status).toBe("pending");
  });

  test("continues with payments that an earlier process left pending", async () => {
    const database = await newDatabase(temporaryFile());
    const first = await listening({ database, processingTimeMs: 300 });
    const pending = await request(first, "/v1/payments", declined);
    await first.close();
    const second = await listening({ database, processingTimeMs: 300 });
    await expect
      .poll(async () => request({ ...second, key: first.key }, `/v1/payments/${pending.id}`))
      .toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  });

  test("settles many payments together", async () => {
    const server = await listening({ processingTimeMs: 10 });
    await Promise.all(
      Array.from({ length: 150 }, async () => request(server, "/v1/payments", declined)),
    );
    await expect
      .poll(async () => {
        const answer = await fetch(`${server.url}/v1/payments?status=pending`, {
          headers: { authorization: `Bearer ${server.key}` },
        });
        return ((await answer.json()) as { data: Payment[] }).data.length;
      })
      .toBe(0);
  });
});
