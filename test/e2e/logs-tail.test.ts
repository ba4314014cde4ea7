import { once } from "node:events";
import { expect, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { LoggedRequest } from "../../src/contract/logged-request.ts";
import { body, listening } from "../testkit/client/running-service.ts";
import { makeKey } from "../testkit/command/prepare-home.ts";
import { createServiceEnv, runInShell, startPayments } from "../testkit/command/run-payments.ts";
import { servePayments } from "../testkit/command/running-commands.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { startTcpProxy } from "../testkit/sockets/tcp-proxy.ts";

test("payments logs tail prints each request once, through restarts of the service", async () => {
  const home = createTemporaryHome();
  const { key } = await makeKey(home);
  let service = await servePayments([], { home });
  const portOf = ({ url }: typeof service) => Number(new URL(url).port);
  const target = { host: "127.0.0.1", port: portOf(service) };
  const proxy = await startTcpProxy(target);
  const baseUrl = `http://127.0.0.1:${proxy.port}`;
  const env = createServiceEnv(baseUrl, key);
  const client = new PaymentsClient({ baseUrl, apiKey: key, maxRetries: 20 });
  await client.payments.create(body); // before the start: not printed

  const tail = startPayments(["logs", "tail", "--max-retries", "0"], {
    home: createTemporaryHome(),
    env,
  });
  let [out, err] = ["", ""];
  tail.stdout.on("data", (chunk) => (out += String(chunk)));
  tail.stderr.on("data", (chunk) => (err += String(chunk)));
  await expect.poll(() => err).toContain("Requests of");
  const paymentIds: string[] = [];
  for (let round = 0; round < 2; round++) {
    const made = await Promise.all(
      Array.from({ length: 20 }, async () => client.payments.create(body)),
    );
    paymentIds.push(...made.map(({ id }) => id));
    await service.end("SIGTERM");
    await expect.poll(() => err.split("trying again").length).toBe(round + 2);
    service = await servePayments([], { home });
    target.port = portOf(service);
    await expect.poll(() => err.split("is back").length).toBe(round + 2);
  }
  const { data } = await client.requests.list({ limit: 100, status: "201" });
  const logged = data.filter(({ payment }) => paymentIds.includes(payment ?? ""));
  expect(logged).toHaveLength(paymentIds.length);
  const printed = () => out.split("\n").flatMap((line) => /req_[0-9a-f-]+/.exec(line) ?? []);
  await expect.poll(() => printed().length).toBeGreaterThanOrEqual(logged.length);
  const ended = once(tail, "close");
  tail.kill("SIGINT");
  expect((await ended)[0]).toBe(0);
  const counts = new Map(
    logged.map(({ id }) => [id, printed().filter((each) => each === id).length]),
  );
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  expect(new Set(printed()).size).toBe(printed().length);
  await client.close();
  await proxy.refuse();
  await service.end("SIGTERM");
});

test("a killed service has lost no payment, and no request older than a second", async () => {
  const home = createTemporaryHome();
  const { key } = await makeKey(home);
  const first = await servePayments([], { home });
  const client = new PaymentsClient({ baseUrl: first.url, apiKey: key, maxRetries: 0 });
  const old = await Promise.all(
    Array.from({ length: 20 }, async () => client.payments.create(body)),
  );
  const find = async () => (await client.requests.list({ limit: 100 })).data.length;
  await expect.poll(find).toBe(old.length);
  const made = await Promise.all(
    Array.from({ length: 20 }, async () => client.payments.create(body)),
  );
  await first.end("SIGKILL");
  await client.close();
  const second = await servePayments([], { home });
  const again = new PaymentsClient({ baseUrl: second.url, apiKey: key });
  const stored = new Set((await again.payments.list({ limit: 100 })).data.map(({ id }) => id));
  expect([...old, ...made].filter(({ id }) => !stored.has(id))).toEqual([]);
  const logged = new Set(
    (await again.requests.list({ limit: 100 })).data.map(({ payment }) => payment),
  );
  expect(old.filter(({ id }) => !logged.has(id))).toEqual([]);
  await again.close();
  await second.end("SIGTERM");
});

test("payments logs tail --json is one request a line, and ends with its reader", async () => {
  const server = await listening();
  const client = new PaymentsClient({ baseUrl: server.url, apiKey: server.key });
  const env = createServiceEnv(server.url, server.key);
  let isOver = false;
  const tail = runInShell("payments logs tail --json | head -1", { env });
  const printed = tail.finally(() => (isOver = true));
  const create = async () => (await client.payments.create(body), isOver);
  await expect.poll(create, { interval: 100 }).toBe(true);
  const { stdout, stderr } = await printed;
  expect(JSON.parse(stdout) as LoggedRequest).toMatchObject({ object: "request", status: 201 });
  expect(stderr).toBe("");
  await client.close();
});
