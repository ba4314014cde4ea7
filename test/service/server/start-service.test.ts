import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type RunningService } from "../../../src/service/server/start-service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ processingTimeMs: 20 });
});
afterAll(async () => service.close());

async function call(path: string, key: string, body?: object): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe("a service for a test suite", () => {
  test.each(["", " "])("does not listen if the host is %j", async (host) => {
    await expect(startService({ host })).rejects.toThrow("The host to listen on is empty.");
  });

  test("shares no data with another service in the same process", async () => {
    const other = await startService();
    expect(other.url).not.toBe(service.url);
    expect(other.keys).not.toEqual(service.keys);
    expect((await call("/v1/payments", other.keys.test)).status).toBe(401);
    await other.close();
    expect((await call("/v1/payments", service.keys.test)).status).toBe(200);
  });

  test("refuses no request while the suite blocks the process", async () => {
    for (let turn = 0; turn < 3; turn++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
      await nextTurn();
    }
    expect((await call("/v1/payments", service.keys.test)).status).toBe(200);
  });

  test("does not listen after it is closed", async () => {
    const other = await startService();
    expect((await fetch(`${other.url}/docs/errors`)).status).toBe(200);
    await other.close();
    await expect(fetch(`${other.url}/docs/errors`)).rejects.toThrow("fetch failed");
  });
});
