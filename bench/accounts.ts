import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxIdOf } from "../src/service/database/ids.ts";
import { openDriver } from "../src/service/database/database.ts";
import { openStore } from "../src/service/server/open-service.ts";
import type { Scope } from "../src/service/database/scope.ts";
import type { Store } from "../src/service/service.ts";
import { newAccount } from "../test/testkit/database/records.ts";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, median } from "./figure.ts";
import { seed } from "./seed.ts";

const accounts = 1_000;
const paymentsOfEach = 100;
const rounds = 1_000;

/** An account among a thousand against one that has its database for itself. */
export async function measureAccounts(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const files = { alone: join(folder, "alone.db"), among: join(folder, "among.db") };
  const figures = await compare("SQLite", `sqlite:${files.alone}`, `sqlite:${files.among}`);
  rmSync(folder, { recursive: true });
  const [alone, among] = [await startPostgres(), await startPostgres()];
  figures.push(...(await compare("PostgreSQL", alone.url, among.url)));
  await Promise.all([alone.stop(), among.stop()]);
  return figures;
}

async function compare(kind: string, aloneIn: string, amongIn: string): Promise<Figure[]> {
  const ids = await seed(amongIn, accounts * paymentsOfEach, accounts);
  const one = accounts / 2;
  const alone = {
    ...(await openFor(aloneIn, 0)),
    id: (await seed(aloneIn, paymentsOfEach))[0] ?? "",
  };
  const among = { ...(await openFor(amongIn, one)), id: ids[one] ?? "" };
  const figures: Figure[] = [];
  for (const [what, read] of Object.entries(reads)) {
    const timesMs: Record<"alone" | "among", number[]> = { alone: [], among: [] };
    for (let round = 0; round < rounds; round++) {
      for (const [name, of] of Object.entries({ alone, among })) {
        const startMs = performance.now();
        await read(of.store, of.scope, of.id);
        timesMs[name as keyof typeof timesMs].push(performance.now() - startMs);
      }
    }
    const [aloneMs, amongMs] = [median(timesMs.alone), median(timesMs.among)];
    figures.push({
      what: `${what}, one of ${accounts} accounts, ${kind}`,
      ours: `${amongMs.toFixed(3)} ms`,
      compared: `alone ${aloneMs.toFixed(3)} ms`,
      ratio: amongMs / aloneMs,
      floor: "≤ 1.2",
    });
  }
  await Promise.all([alone.store.close(), among.store.close()]);
  return figures;
}

const reads: Record<string, (store: Store, scope: Scope, id: string) => Promise<unknown>> = {
  "a page of 10": async (store, scope) =>
    store.listPayments(scope, {
      below: maxIdOf("pay_"),
      above: "",
      direction: "forward",
      limit: 10,
    }),
  "a payment": async (store, scope, id) => store.findPayment(scope, id),
};

async function openFor(database: string, at: number) {
  const store = await openStore(await openDriver(database), newAccount());
  const accountId = (await store.listAccounts())[at]?.id ?? "";
  return { store, scope: { accountId, livemode: false } };
}
