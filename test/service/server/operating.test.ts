import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../../src/client/client.ts";
import { PaymentsError } from "../../../src/client/errors.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { ServeLimits } from "../../../src/service/server/serve.ts";
import { body, listening, requestJson } from "../../testkit/client/running-service.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

async function get(url: string, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url + path);
  return { status: answer.status, text: await answer.text() };
}

/** A service, and another connection to its database file. */
async function listenOnSharedDatabase(limits: ServeLimits = {}) {
  const file = temporaryFile();
  const server = await listening({ database: `sqlite:${file}` }, limits);
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  return { server, other };
}

const collectGarbage = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

/** The heap in use, in MiB, without garbage. */
function measureHeapMiB(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size / 1024 / 1024;
}

describe("a running service", () => {
  test("is alive and ready, and has metrics", async () => {
    const server = await listening({ version: "1.2.3", rateLimit: 100 });
    await requestJson(server, "/v1/payments", bodyWith({}));
    expect(await get(server.url, "/healthz")).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect(await get(server.url, "/readyz")).toEqual({ status: 200, text: '{"status":"ready"}' });
    const { status, text } = await get(server.url, "/metrics");
    expect(status).toBe(200);
    for (const line of [
      'payments_build_info{version="1.2.3"} 1',
      'payments_http_request_duration_seconds_count{method="POST",route="/v1/payments",status="201"} 1',
      'payments_transitions_total{mode="test",status="succeeded",decline_code="none"} 1',
      'payments_store_operation_duration_seconds_count{operation="createPayment",outcome="ok"} 1',
      "payments_store_up 1",
      "payments_settlements_due 0",
      'payments_http_requests_shed_total{reason="heap"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/^payments_store_commit_writes_count [1-9]/m);
    expect(text).not.toContain(server.key);
  });

  test("keeps nothing of what went over a connection that stays open", async () => {
    const server = await listening();
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`key_${index}`, "v".repeat(500)]),
    );
    const created = { ...bodyWith({}), metadata };
    for (let count = 0; count < 20; count++) await requestJson(server, "/v1/payments", created);
    const beforeMiB = measureHeapMiB();
    const head = `GET /v1/payments?limit=20 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}`;
    for (let count = 0; count < 30; count++) {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(`${head}\r\n\r\n`);
      for (let bytes = 0; bytes < 500_000;)
        bytes += ((await once(socket, "data")) as [Buffer])[0].length;
    }
    expect(measureHeapMiB() - beforeMiB).toBeLessThan(6); // of 15 MiB that were sent
  });

  test("without its database is alive and not ready, and still has metrics", async () => {
    const { server, other } = await listenOnSharedDatabase();
    for (const table of ["schema_migrations", "charges"]) other.exec(`DROP TABLE ${table}`);
    expect((await get(server.url, "/healthz")).status).toBe(200);
    expect(await get(server.url, "/readyz")).toEqual({
      status: 503,
      text: '{"status":"unready","reason":"store_unreachable"}',
    });
    const metrics = await get(server.url, "/metrics");
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain("payments_store_up 0\n");
  });

  test("is not ready on an older schema, but is on a newer one", async () => {
    const { server, other } = await listenOnSharedDatabase();
    other.exec("INSERT INTO schema_migrations VALUES (9999, 'later', '', 1)");
    expect((await get(server.url, "/readyz")).status).toBe(200);
    other.exec("DELETE FROM schema_migrations");
    expect(await get(server.url, "/readyz")).toEqual({
      status: 503,
      text: '{"status":"unready","reason":"schema_outdated"}',
    });
  });
});

describe("a service with a separate port for metrics and probes", () => {
  const paths = ["/healthz", "/readyz", "/metrics"];

  test("serves only these there", async () => {
    const server = await listening({ metricsPort: 0 });
    const metricsUrl = server.metricsUrl ?? "";
    expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(metricsUrl).not.toBe(server.url);
    await requestJson(server, "/v1/payments", bodyWith({}));
    for (const path of paths) expect((await get(metricsUrl, path)).status).toBe(200);
    const { text } = await get(metricsUrl, "/metrics");
    expect(text).toContain('{method="POST",route="/v1/payments",status="201"} 1\n');
    expect(text).toContain('{method="GET",route="/readyz",status="200"} 1\n');
    const elsewhere = await get(metricsUrl, "/v1/payments");
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.text).toContain(`the API is on port ${new URL(server.url).port}.`);
    expect(elsewhere.text).toContain(`"doc_url":"${server.url}/docs/errors#endpoint_not_found"`);
  });

  test.each(paths)("has no %s on its main port, and says which port has it", async (path) => {
    const server = await listening({ metricsPort: 0 });
    const { port } = new URL(server.metricsUrl ?? "");
    const answer = await get(server.url, path);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: {
        code: "endpoint_not_found",
        message: `There is no such path on this port. Probes and metrics are on port ${port}.`,
      },
    });
    expect((await get(server.url, "/unknown")).text).not.toContain(port);
    const posted = await fetch(server.url + path, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([404, null]);
  });
});

describe("a service under full load", () => {
  const full = 20;
  const ofOneAccount = 15;
  const overload = { inFlight: full };

  test("refuses further requests, and completes all accepted ones", async () => {
    const { server, other } = await listenOnSharedDatabase({ overload });
    const client = new PaymentsClient({ baseUrl: server.url, apiKey: server.key, maxRetries: 0 });
    onTestFinished(async () => client.close());
    const { payments } = client;
    const headers = { authorization: `Bearer ${server.key}` };
    const fetchListStatus = async () =>
      (await fetch(`${server.url}/v1/payments?limit=1`, { headers })).status;
    /** Sends it until it is accepted: the service may time out waiting for the database, and refuses some. */
    const create = async (idempotencyKey: string): Promise<Payment> =>
      payments.create(body, { idempotencyKey }).catch(async (error: unknown) => {
        if (error instanceof PaymentsError && error.retryable) return create(idempotencyKey);
        throw error;
      });
    other.exec("BEGIN IMMEDIATE");
    const created = Array.from({ length: ofOneAccount }, async (_, at) => create(`order-${at}`));
    onTestFinished(async () => void (await Promise.allSettled(created)));
    try {
      await expect.poll(fetchListStatus).toBe(503);
      expect((await get(server.url, "/readyz")).status).toBe(200);
    } finally {
      other.exec("ROLLBACK");
    }
    const ids = (await Promise.all(created)).map(({ id }) => id);
    const { data } = await payments.list({ limit: 100 });
    expect(data.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    await expect.poll(fetchListStatus).toBe(200);
  });

  test("is not the result of slow bodies", async () => {
    const server = await listening({}, { overload });
    const head = ["POST /pay/x HTTP/1.1", "Host: x", "Content-Length: 100"];
    const more = ["Content-Type: application/x-www-form-urlencoded", "Expect: 100-continue"];
    for (let slow = 0; slow < full; slow++) {
      const connection = await rawConnection(server.url);
      onTestFinished(connection.close);
      connection.send(`${[...head, ...more].join("\r\n")}\r\n\r\nnumber=`);
      expect((await connection.answer()).status).toBe(100);
    }
    expect(await requestJson(server, "/v1/payments", bodyWith({}))).toMatchObject({
      status: "succeeded",
    });
  });

  test("refuses requests before its heap is full, and accepts them when there is room", async () => {
    const script = new URL("./fill-heap.ts", import.meta.url).pathname;
    const args = ["--max-old-space-size=512", "--expose-gc", script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toMatchObject({
      before: 401,
      full: [503, 200],
      after: 401,
      shed: expect.arrayContaining(["heap"]),
    });
  });
});
