import { describe, expect, test } from "vitest";
import { form, visa } from "../../testkit/app/customer.ts";
import { listening, request } from "../../testkit/sockets/listening-server.ts";
import { temporaryFile } from "../../testkit/temporary-file.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";

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
  const created = await request(server, "/v1/payments/hpp", hosted);
  const path = `/pay/${created.redirect_url?.split("/").at(-1)}`;
  return { created, path, payment: async () => request(server, `/v1/payments/${created.id}`) };
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
    const settings = { database, processingTimeMs: 500 };
    const first = await listening(settings);
    const { path } = await openPage(first);
    await visit(first, path, { ...visa, number: "4000000000009995" });
    await first.close();
    const second = await listening(settings);
    await expect
      .poll(async () => (await visit(second, path)).headers.get("refresh"))
      .toBe(`5; url=${path}/return`);
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
