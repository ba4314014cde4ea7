import { afterAll, beforeAll } from "vitest";
import { PaymentsClient, type ClientOptions } from "../../../src/client/client.ts";
import type { ServeSettings } from "../../../src/service/server/service-settings.ts";
import { newDatabase } from "../database/open-database.ts";
import { startService, type RunningService } from "../../../src/service/server/start-service.ts";

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
