import { onTestFinished } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { serve, type ServeLimits } from "../../../src/service/server/server.ts";
import type { ServeSettings } from "../../../src/service/server/serve-settings.ts";
import { newDatabase } from "../database/new-database.ts";

export const settings: ServeSettings = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };

/**
 * A listening service with a key, over a new database where none is given: closed at the end of its test, if
 * it was not before. A test that runs at the same time as others says what closes it: Vitest would take one of
 * these for it.
 */
export async function listening(
  more: Partial<ServeSettings> = {},
  limits: ServeLimits = {},
  closeLater: (close: () => Promise<void>) => void = onTestFinished,
) {
  const database = more.database ?? (await newDatabase());
  // No probe comes any more when a test is over: nobody waits for one but where it is said.
  const server = await serve({ ...settings, ...more, database }, { probeWaitMs: 0, ...limits });
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
