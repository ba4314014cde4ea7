import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  runBuiltPayments,
  startServing,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";
import { card } from "../testkit/deployment/load.ts";

const body = { amount: 100, currency: "eur", card } as const;

/** A service with clients that create payments without a pause, and the acknowledged payments. */
async function startBusyService(home: string, key: string) {
  const service = await startServing(home, "--log-level", "silent");
  const client = new PaymentsClient({ baseUrl: service.url, apiKey: key, maxRetries: 0 });
  const acknowledged: string[] = [];
  const creating = Array.from({ length: 8 }, async () => {
    for (;;) {
      const payment = await client.payments.create(body).catch(() => undefined);
      if (!payment) return;
      acknowledged.push(payment.id);
    }
  });
  return {
    acknowledged,
    /** Resolves once `count` more payments were acknowledged. */
    untilAcknowledged: async (count: number) => {
      const target = acknowledged.length + count;
      while (acknowledged.length < target) await client.payments.list({ limit: 1 });
    },
    /** Ends all its processes at once: the one that indexes payments would close the database in order. */
    kill: async () => {
      const { pid: parent } = service;
      if (parent === undefined) throw new Error("The service was not started.");
      process.kill(parent, "SIGSTOP"); // it would start another one
      const { stdout } = spawnSync("pgrep", ["-P", String(parent)], { encoding: "utf8" });
      for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
      await service.kill("SIGKILL");
      await Promise.all(creating);
      await client.close();
    },
  };
}

/** Serves a home, makes one more payment there, and lists them all. */
async function listServedIds(home: string, key: string): Promise<Set<string>> {
  const service = await startServing(home, "--log-level", "silent");
  const client = new PaymentsClient({ baseUrl: service.url, apiKey: key });
  expect(await client.payments.create(body)).toMatchObject({ status: "succeeded" });
  const ids = new Set<string>();
  for await (const { id } of client.payments.all()) ids.add(id);
  await client.close();
  await service.kill("SIGTERM");
  return ids;
}

it("a backup of a busy service, restored as docs/operating.md says, has every payment acknowledged before it began", async () => {
  const home = createTemporaryFolder();
  const { key } = await createKey(home);
  const service = await startBusyService(home, key);
  const folder = join(home, ".local", "share", "payments");
  const backup = join(folder, "backup.db");
  await service.untilAcknowledged(200);
  const before = [...service.acknowledged];
  const { status, stdout } = await runBuiltPayments(home, "backup", backup, "--json");
  await service.untilAcknowledged(50); // the service keeps running
  await service.kill();
  expect(status).toBe(0);
  const report = JSON.parse(stdout) as { payments: number };
  expect(report.payments).toBeGreaterThanOrEqual(before.length);
  expect(existsSync(join(folder, "payments.db-wal"))).toBe(true);

  mkdirSync(join(folder, "old"));
  for (const name of readdirSync(folder).filter((found) => found.startsWith("payments.db")))
    renameSync(join(folder, name), join(folder, "old", name));
  cpSync(backup, join(folder, "payments.db"));
  const ids = await listServedIds(home, key);
  expect(before.filter((id) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBe(report.payments + 1);
});
