import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { serve } from "../../../src/service/server/serve.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { listening, requestJson, settings } from "../../testkit/client/running-service.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { form, visa } from "../../testkit/app/customer.ts";

test("a running service records the use of keys", async () => {
  const server = await listening();
  const listLastUses = async () =>
    (await server.service.listKeys()).map(({ last_used_at }) => last_used_at);
  expect(await listLastUses()).toEqual([null]);
  const fromSeconds = Math.floor(Date.now() / 1000);
  await requestJson(server, "/v1/payments", bodyWith({}));
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
    const pending = await requestJson(server, "/v1/payments", declined);
    expect(pending.status).toBe("pending");
    await expect
      .poll(async () => requestJson(server, `/v1/payments/${pending.id}`))
      .toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  });

  test("waits for the processing time", async () => {
    const server = await listening({ processingTimeMs: 3_600_000, hppExpiryMs: 50 });
    const pending = await requestJson(server, "/v1/payments", declined);
    const page = await requestJson(server, "/v1/payments/hpp", { amount: 1, currency: "eur" });
    await expect
      .poll(async () => requestJson(server, `/v1/payments/${page.id}`))
      .toMatchObject({ decline_code: "hpp_expired" }); // by then, due payments have been settled
    expect((await requestJson(server, `/v1/payments/${pending.id}`)).status).toBe("pending");
  });

  test("continues with payments that an earlier process left pending", async () => {
    const database = await newDatabase(temporaryFile());
    const first = await listening({ database, processingTimeMs: 300 });
    const pending = await requestJson(first, "/v1/payments", declined);
    await first.close();
    const second = await listening({ database, processingTimeMs: 300 });
    await expect
      .poll(async () => requestJson({ ...second, key: first.key }, `/v1/payments/${pending.id}`))
      .toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  });

  test("settles many payments together", async () => {
    const server = await listening({ processingTimeMs: 10 });
    await Promise.all(
      Array.from({ length: 150 }, async () => requestJson(server, "/v1/payments", declined)),
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

const hosted = { amount: 4999, currency: "eur", return_url: "https://shop.example/thanks" };
type Server = Awaited<ReturnType<typeof listening>>;

/** A customer's request for the page of a payment, at the address that the service listens on. */
async function visit(server: Server, path: string, fields?: Record<string, string>) {
  return await fetch(`${server.url}${path}`, {
    redirect: "manual",
    ...(fields && {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "content-type": form },
    }),
  });
}

async function openPage(server: Server) {
  const created = await requestJson(server, "/v1/payments/hpp", hosted);
  const path = `/pay/${created.redirect_url?.split("/").at(-1)}`;
  return { created, path, payment: async () => requestJson(server, `/v1/payments/${created.id}`) };
}

describe("a payment page", () => {
  test("is at the address that the service listens on, and can be paid there", async () => {
    const server = await listening();
    const { created, path, payment } = await openPage(server);
    expect(created.redirect_url).toBe(`${server.url}${path}`);
    expect((await visit(server, path)).status).toBe(200);
    expect((await visit(server, path, visa)).status).toBe(303);
    expect(await payment()).toMatchObject({ status: "succeeded" });
  });

  test.each(["https://pay.example.com/shop", "https://pay.example.com/shop/"])(
    "is below the public address %s if one is set, and so are its forms and redirects",
    async (publicUrl) => {
      const server = await listening({ publicUrl });
      const { created, path } = await openPage(server);
      expect(created.redirect_url).toBe(`https://pay.example.com/shop${path}`);
      const page = await (await visit(server, path)).text();
      expect(page).toContain(`"/shop${path}"`);
      expect(page).toContain(`"/shop${path}/cancel"`);
      const paid = await visit(server, path, visa);
      expect(paid.headers.get("location")).toBe(`/shop${path}`);
      const refresh = (await visit(server, path)).headers.get("refresh");
      expect(refresh).toBe(`5; url=/shop${path}/return`);
    },
  );

  test("with a card in progress shows the outcome after a restart of the service", async () => {
    const database = await newDatabase(temporaryFile());
    const slow = { database, processingTimeMs: 500 };
    const first = await listening(slow);
    const { path } = await openPage(first);
    await visit(first, path, { ...visa, number: "4000000000009995" });
    await first.close();
    const second = await listening(slow);
    await expect
      .poll(async () => (await visit(second, path)).headers.get("refresh"))
      .toBe(`10; url=${path}/return`);
    const back = await visit(second, `${path}/return`);
    expect(back.headers.get("location")).toMatch(/&status=failed$/);
  });

  test("that was not paid expires without a request", async () => {
    const server = await listening({ hppExpiryMs: 50 });
    const { payment, path } = await openPage(server);
    await expect.poll(payment).toMatchObject({ status: "failed", decline_code: "hpp_expired" });
    expect((await visit(server, path, visa)).status).toBe(404);
  });

  test("that is paid and canceled at the same time on two replicas has one outcome", async () => {
    const database = await newDatabase(temporaryFile());
    const servers = [await listening({ database }), await listening({ database })] as const;
    const pages = await Promise.all(Array.from({ length: 20 }, async () => openPage(servers[0])));
    await Promise.all(
      pages.flatMap(({ path }, i) => [
        visit(servers[i % 2 === 0 ? 0 : 1], path, visa),
        visit(servers[i % 2 === 0 ? 1 : 0], `${path}/cancel`, {}),
        visit(servers[1], path, visa),
      ]),
    );
    for (const { payment } of pages) {
      const { status, decline_code, card } = await payment();
      const ends = ["succeeded with a card", "customer_canceled without one"];
      expect(ends).toContain(`${decline_code ?? status} ${card ? "with a card" : "without one"}`);
    }
  });
});
