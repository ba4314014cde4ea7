import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type ClientOptions, PaymentsClient } from "../../../src/client/client.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { ServeLimits } from "../../../src/service/server/serve.ts";
import type { ServeSettings } from "../../../src/service/server/service-settings.ts";
import {
  type RunningSandbox,
  type RunningService,
  type SandboxOptions,
  startService,
} from "../../../src/service/server/start-service.ts";
import { newDatabase } from "../database/open-database.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { serveBound } from "../service/bind-use-cases.ts";

/** The real service over a new database, on a free port, for the tests of one file. */
export function runningService(settings: Partial<ServeSettings> = {}) {
  let running: RunningService | undefined;
  const clients: PaymentsClient[] = [];
  beforeAll(async () => {
    const database = await newDatabase();
    running = await startService({ database, processingTimeMs: 50, ...settings });
  });
  afterAll(async () => {
    await Promise.all(clients.map(async (client) => client.close()));
    await running?.close();
  });
  const started = (): RunningService => {
    if (running) return running;
    throw new Error("The service runs only while tests do.");
  };
  return {
    get url() {
      return started().url;
    },
    get keys() {
      return started().keys;
    },
    client: (options: Partial<ClientOptions> = {}): PaymentsClient => {
      const { url, keys } = started();
      const client = new PaymentsClient({ baseUrl: url, apiKey: keys.test, ...options });
      clients.push(client);
      return client;
    },
  };
}

export const visa = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };
export const declining = { ...visa, number: "4000000000000002" };
export const body = { amount: 4999, currency: "eur", card: visa } as const;

export const settings: ServeSettings = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };

/**
 * A listening service with a key, by default over a new database. It is closed at the end of its test, unless the
 * test has closed it. A concurrent test must pass its own `closeLater`, because Vitest would register the global
 * hook with another test.
 */
export async function listening(
  more: Partial<ServeSettings> = {},
  limits: ServeLimits = {},
  closeLater: (close: () => Promise<void>) => void = onTestFinished,
) {
  const database = more.database ?? (await newDatabase());
  // No probe comes when a test is over, so that a service does not wait for one by default.
  const server = await serveBound(
    { ...settings, ...more, database },
    { probeWaitMs: 0, ...limits },
  );
  let closing: Promise<void> | undefined;
  const close = async () => (closing ??= server.close());
  closeLater(close);
  const { key } = await server.service.createKey({ mode: "test", name: "test" });
  return { ...server, close, key };
}

export async function requestJson(
  server: { url: string; key: string },
  path: string,
  sent?: object,
): Promise<Payment> {
  const answer = await fetch(`${server.url}${path}`, {
    method: sent ? "POST" : "GET",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  return (await answer.json()) as Payment;
}

/** A sandbox, and a client with its test key that retries nothing. */
export async function openSandbox(options: Omit<SandboxOptions, "sandbox"> = {}) {
  const sandbox = await startService({ sandbox: true, ...options });
  const client = clientOf(sandbox, sandbox.keys.test);
  openUntilFileEnds(async () => sandbox.close());
  return { sandbox, client };
}

export function clientOf(
  { url }: Pick<RunningSandbox, "url">,
  apiKey: string,
  maxRetries = 0,
): PaymentsClient {
  const client = new PaymentsClient({ baseUrl: url, apiKey, maxRetries });
  openUntilFileEnds(async () => client.close());
  return client;
}

/** The status and body of a request of a plain HTTP client, `lost` where the connection ended without an answer. */
export async function request(
  { url, keys }: Pick<RunningSandbox, "url" | "keys">,
  target: string,
  {
    body: sent,
    key = keys.test,
    headers = {},
    signal,
  }: { body?: object; key?: string; headers?: object; signal?: AbortSignal } = {},
): Promise<{ status: number | "lost"; headers: Headers; body: unknown }> {
  const [method = "GET", path = "/"] = target.split(" ");
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(sent && { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent && { body: JSON.stringify(sent) }),
      ...(signal && { signal }),
    });
    const received = method === "HEAD" ? undefined : await response.json();
    return { status: response.status, headers: response.headers, body: received };
  } catch {
    return { status: "lost", headers: new Headers(), body: undefined };
  }
}
