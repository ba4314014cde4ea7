import { onTestFinished } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import type { ServeLimits } from "../../../src/service/server/server.ts";
import { serveBound } from "../service/bind-use-cases.ts";
import type { ServeSettings } from "../../../src/service/server/service-settings.ts";
import { newDatabase } from "../database/open-database.ts";

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

export async function request(
  server: { url: string; key: string },
  path: string,
  body?: object,
): Promise<Payment> {
  const answer = await fetch(`${server.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Payment;
}
