import { describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { createEmbeddedTransport } from "../../src/cli/config/connect-embedded.ts";
import { embed } from "../../src/service/server/embed.ts";
import { Unavailable } from "../../src/runtime/failures.ts";
import { body } from "../testkit/client/running-service.ts";

const key = `svc_test_sk_${"1".repeat(43)}`;

async function open(database = "sqlite::memory:") {
  return await embed({
    database,
    docsUrl: "file:///errors.html",
    keys: { test: key, live: key.replace("test", "live") },
    keyFile: "embedded-keys.json",
  });
}

describe("the service in this process", () => {
  test("responds as a running one does", async () => {
    const client = new PaymentsClient({ apiKey: key, baseUrl: createEmbeddedTransport(open) });
    const { payments } = client;
    const created = await payments.create(body);
    expect(await payments.retrieve(created.id)).toEqual(created);
    expect((await payments.refund(created.id)).status).toBe("refunded");
    await expect(payments.refund(created.id)).rejects.toMatchObject({
      name: "ApiError",
      status: 422,
      docUrl: "file:///errors.html#payment_already_refunded",
    });
    await client.close();
  });

  test("is opened at the first request, once, and closed with the client", async () => {
    const opened = await open();
    const close = vi.fn<() => Promise<void>>(async () => opened.close());
    const opening = vi.fn<() => Promise<typeof opened>>(async () => ({ ...opened, close }));
    const transport = createEmbeddedTransport(opening);
    const client = new PaymentsClient({ apiKey: key, baseUrl: transport });
    expect(opening).not.toHaveBeenCalled();
    await Promise.all([client.payments.list(), client.payments.list()]);
    expect(opening).toHaveBeenCalledOnce();
    await client.close();
    expect(close).toHaveBeenCalledOnce();
  });

  test("is not opened when an unused client is closed", async () => {
    const opening = vi.fn<typeof open>(open);
    await createEmbeddedTransport(opening).close();
    expect(opening).not.toHaveBeenCalled();
  });

  test("throws why it cannot be opened, without a retry", async () => {
    const opening = vi.fn<() => ReturnType<typeof open>>(async () => open("sqlite:/dev/null/x.db"));
    const client = new PaymentsClient({ apiKey: key, baseUrl: createEmbeddedTransport(opening) });
    await expect(client.payments.list()).rejects.toBeInstanceOf(Unavailable);
    expect(opening).toHaveBeenCalledOnce();
    await client.close();
  });

  test("ends a call that takes longer than its time limit", async () => {
    const opened = await open();
    const transport = createEmbeddedTransport(async () => ({ ...opened, call: neverRespond }));
    const client = new PaymentsClient({
      apiKey: key,
      baseUrl: transport,
      timeoutMs: 20,
      maxRetries: 0,
    });
    await expect(client.payments.create(body)).rejects.toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("no answer within 0.02 s") as string,
      outcomeUnknown: true,
    });
    await client.close();
  });
});

async function neverRespond(): Promise<never> {
  return await new Promise(() => {});
}
