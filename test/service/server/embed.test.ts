import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { embed } from "../../../src/service/server/embed.ts";
import { openBoundService } from "../../testkit/service/bind-use-cases.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { errorIn } from "../../testkit/app/open-app.ts";
import { fillDisk } from "../../testkit/database/open-database.ts";
import { listening, requestJson } from "../../testkit/client/running-service.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { apiKeyPattern } from "../../../src/contract/administration.ts";
import { openEmbeddedKeys } from "../../../src/service/server/embedded-keys.ts";

const keys = {
  test: `svc_test_sk_${"t".repeat(43)}`,
  live: `svc_live_sk_${"l".repeat(43)}`,
};

async function openEmbedded(database = "sqlite::memory:", processingTimeMs = 0) {
  const service = await embed({
    database,
    processingTimeMs,
    docsUrl: "https://payments.test/docs/errors",
    keys,
    keyFile: "embedded-keys.json",
  });
  let closing: Promise<void> | undefined;
  const close = async () => (closing ??= service.close());
  onTestFinished(close);
  const call = async (path: string, body?: object, mode: "test" | "live" = "test") => {
    const {
      status,
      headers,
      body: text,
    } = await service.call({
      method: body ? "POST" : "GET",
      path,
      headers: { authorization: `Bearer ${keys[mode]}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status, headers, text };
  };
  return { call, close };
}

const declined = bodyWith({ card: cardWith({ number: "4000000000000069" }) });

test("the embedded service answers like the service over HTTP, without a port", async () => {
  const { call } = await openEmbedded();
  const created = await call("/v1/payments", bodyWith({}));
  expect(created.status).toBe(201);
  expect(created.headers["service-request-id"]).toMatch(/^req_/);
  expect(created.headers["service-version"]).toBe("2026-11-01");
  const { id } = JSON.parse(created.text) as Payment;
  expect((await call(`/v1/payments/${id}`)).text).toBe(created.text);
  expect(JSON.parse((await call("/v1/payments")).text)).toMatchObject({ data: [{ id }] });
  expect((await call(`/v1/payments/${id}/refund`, {})).status).toBe(200);
});

test("an error's doc_url begins with the given address", async () => {
  const { call } = await openEmbedded();
  const answer = await call("/v1/payments/pay_unknown");
  expect(answer.status).toBe(404);
  expect(errorIn(answer).doc_url).toBe("https://payments.test/docs/errors#resource_missing");
});

test("a payment that an ended process left pending is settled by the next process", async () => {
  const database = `sqlite:${temporaryFile()}`;
  const first = await openEmbedded(database, 100);
  const pending = JSON.parse((await first.call("/v1/payments", declined)).text) as Payment;
  expect(pending.status).toBe("pending");
  await first.close();
  const second = await openEmbedded(database, 100);
  await expect
    .poll(async () => JSON.parse((await second.call(`/v1/payments/${pending.id}`)).text) as Payment)
    .toMatchObject({ status: "failed", decline_code: "expired_card" });
});

test("a hosted payment is refused, since its page could not be opened, with a hint to payments serve", async () => {
  const { call } = await openEmbedded();
  const answer = await call("/v1/payments/hpp", { amount: 4999, currency: "eur" });
  expect(answer.status).toBe(404);
  expect(errorIn(answer)).toMatchObject({
    code: "endpoint_not_found",
    message: expect.stringContaining("payments serve"),
  });
  expect(JSON.parse((await call("/v1/payments")).text)).toMatchObject({ data: [] });
});

test("a command expires the pages of a service over the same database", async () => {
  const database = `sqlite:${temporaryFile()}`;
  const serving = await listening({ database, hppExpiryMs: 500 });
  const created = await requestJson(serving, "/v1/payments/hpp", { amount: 4999, currency: "eur" });
  await serving.close();
  const { call } = await openEmbedded(database);
  await expect
    .poll(async () => JSON.parse((await call(`/v1/payments/${created.id}`)).text) as Payment)
    .toMatchObject({ status: "failed", decline_code: "hpp_expired" });
});

test("an error of housekeeping does not affect the response", async () => {
  const database = `sqlite:${temporaryFile()}`;
  const { call } = await openEmbedded(database);
  expect((await call("/v1/payments", declined)).status).toBe(201);
  const other = new DatabaseSync(database.slice("sqlite:".length));
  onTestFinished(() => other.close());
  other.exec("DROP TABLE charges");
  expect((await call("/v1/payments", bodyWith({}))).status).toBe(201);
  expect((await call("/v1/payments")).status).toBe(200);
});

test("a revoked key of the embedded service is an error with a remedy", async () => {
  const database = `sqlite:${temporaryFile()}`;
  await openEmbedded(database);
  const { service, close } = await openBoundService({ database });
  for (const key of await service.listKeys()) await service.revokeKey(key);
  await close();
  await expect(openEmbedded(database)).rejects.toThrow(
    "The embedded service's own test key was revoked or has expired. Delete embedded-keys.json, and the next command makes new ones.",
  );
});

test("a full disk is thrown and not answered, because a client would retry after a response", async () => {
  const database = `sqlite:${temporaryFile()}`;
  const { call } = await openEmbedded(database);
  const first = await call("/v1/payments", bodyWith({}));
  fillDisk(database);
  await expect(call("/v1/payments", bodyWith({}))).rejects.toMatchObject({
    name: "Unavailable",
    message: "The database refuses: the disk is full; nothing was written.",
    hint: expect.stringContaining("Make room") as unknown,
  });
  const { id } = JSON.parse(first.text) as Payment;
  expect((await call("/v1/payments")).text).toContain(id);
});

/** The path of a folder that does not exist yet. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data");
}

test("the embedded service's keys are created at the first use, and then reused", async () => {
  const folder = newFolder();
  const made = await openEmbeddedKeys(folder);
  expect(made.test).toMatch(/^svc_test_sk_/);
  expect(made.live).toMatch(/^svc_live_sk_/);
  for (const key of Object.values(made)) expect(key).toMatch(apiKeyPattern);
  expect(await openEmbeddedKeys(folder)).toEqual(made);
  expect(readdirSync(folder)).toEqual(["embedded-keys.json"]);
});

test("a folder that cannot be created is an error with a remedy", async () => {
  const file = join(newFolder(), "..", "file");
  writeFileSync(file, "");
  await expect(openEmbeddedKeys(join(file, "data"))).rejects.toMatchObject({
    name: "Unavailable",
    hint: expect.stringContaining("PAYMENTS_HOME") as unknown,
  });
});
