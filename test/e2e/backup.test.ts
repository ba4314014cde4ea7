import { cpSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  payments,
  startServing,
  temporaryFolder,
} from "../testkit/command/installed-command.ts";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };
const body = { amount: 100, currency: "eur", card } as const;

/** A service with clients that create payments without a pause, and what they were answered. */
async function busyService(home: string, key: string) {
  const service = await startServing(home, "--log-level", "silent");
  const client = new PaymentsClient({ baseUrl: service.url, apiKey: key, maxRetries: 0 });
  const answered: string[] = [];
  const creating = Array.from({ length: 16 }, async () => {
    for (;;) {
      const payment = await client.payments.create(body).catch(() => undefined);
      if (!payment) return;
      answered.push(payment.id);
    }
  });
  return {
    answered,
    /** Resolves once this many payments were answered since it was asked. */
    further: async (count: number) => {
      const enough = answered.length + count;
      while (answered.length < enough) await client.payments.list({ limit: 1 });
    },
    kill: async () => {
      await service.kill("SIGKILL");
      await Promise.all(creating);
      await client.close();
    },
  };
}

async function idsServed(home: string, key: string, ...argv: string[]): Promise<Set<string>> {
  const service = await startServing(home, "--log-level", "silent", ...argv);
  const client = new PaymentsClient({ baseUrl: service.url, apiKey: key });
  expect(await client.payments.create(body)).toMatchObject({ status: "succeeded" });
  const ids = new Set<string>();
  for await (const { id } of client.payments.all()) ids.add(id);
  await client.close();
  await service.kill("SIGTERM");
  return ids;
}

describe("a backup made while a service is busy", () => {
  it("restored elsewhere has every payment acknowledged before it began, and serves", async () => {
    const home = temporaryFolder();
    const { key } = await createKey(home);
    const service = await busyService(home, key);
    const backup = join(temporaryFolder(), "backup.db");
    await service.further(500);
    const before = [...service.answered];
    const { status, stdout } = await payments(home, "backup", backup, "--json");
    await service.further(1); // the service goes on as if nothing had been
    await service.kill();
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as { payments: number };
    expect(report.payments).toBeGreaterThanOrEqual(before.length);

    const elsewhere = temporaryFolder();
    mkdirSync(join(elsewhere, "data"));
    const database = join(elsewhere, "data", "payments.db");
    cpSync(backup, database);
    const ids = await idsServed(elsewhere, key, "--database", `sqlite:${database}`);
    expect(before.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(report.payments + 1);
  });

  it("restored in the place of the database, as docs/operating.md says, is what is served", async () => {
    const home = temporaryFolder();
    const { key } = await createKey(home);
    const service = await busyService(home, key);
    const folder = join(home, ".local", "share", "payments");
    const backup = join(folder, "backup.db");
    await service.further(100);
    const { stdout } = await payments(home, "backup", backup, "--json");
    const { payments: kept } = JSON.parse(stdout) as { payments: number };
    await service.further(300);
    await service.kill();
    expect(existsSync(join(folder, "payments.db-wal"))).toBe(true);

    mkdirSync(join(folder, "old"));
    for (const name of readdirSync(folder).filter((found) => found.startsWith("payments.db")))
      renameSync(join(folder, name), join(folder, "old", name));
    cpSync(backup, join(folder, "payments.db"));
    expect((await idsServed(home, key)).size).toBe(kept + 1);
  });
});
