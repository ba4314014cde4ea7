import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readSchema } from "../../../src/service/database/migrate.ts";
import { allPages } from "./contract/writes.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { firstSecret } from "../../testkit/database/records.ts";

const program = new URL("write-payments.ts", import.meta.url).pathname;
const run = promisify(execFile);

/** Runs a process that writes payments; returns its account's secret, and the acknowledged ids. */
async function writePayments(file: string, count: number) {
  const { stdout } = await run(process.execPath, [program, file, String(count)]);
  const [secret, ...ids] = stdout.trimEnd().split("\n");
  return { secret, ids };
}

test("several processes that open a new database at once make its schema once, are of one account, and lose no write", async () => {
  const file = temporaryFile();
  const processes = await Promise.all([1, 2, 3, 4].map(async () => writePayments(file, 75)));
  const acknowledged = processes.flatMap(({ ids }) => ids);
  expect(acknowledged).toHaveLength(300);
  const { driver, store } = await openFile({ file });
  expect(await readSchema(driver)).toMatchObject({ pending: [] });
  expect(await store.listAccounts()).toHaveLength(1);
  const secrets = new Set(processes.map(({ secret }) => secret));
  expect(secrets).toEqual(new Set([await firstSecret(store)]));
  const stored = await allPages(store);
  expect(stored.map(({ id }) => id)).toEqual(acknowledged.toSorted().toReversed());
});

test("acknowledged writes are stored when the process is killed right after them", async () => {
  const file = temporaryFile();
  const child = spawn(process.execPath, [program, file, "100000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("pay_")) acknowledged.push(line);
    if (acknowledged.length === 50) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  const { store } = await openFile({ file });
  const stored = new Set((await allPages(store)).map(({ id }) => id));
  expect(acknowledged.length).toBeGreaterThanOrEqual(50);
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
});
