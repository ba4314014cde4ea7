import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { fastSettings, startPostgres } from "../database/start-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of all tests, if this run is on PostgreSQL. */
    postgresUrl: string | undefined;
    /** Its empty schemas `home_0`, `home_1` …; a test claims one by a file with its number in `folder`. */
    homeSchemas: { folder: string; count: number };
  }
}

const count = 250;

/** Starts a PostgreSQL for all the tests of a run, and stops it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres(fastSettings);
  const client = new Client(postgres.url);
  await client.connect();
  await client.query(
    `DO $$ BEGIN FOR i IN 0..${count - 1} LOOP EXECUTE 'CREATE SCHEMA home_' || i; END LOOP; END $$`,
  );
  await client.end();
  const folder = mkdtempSync(join(tmpdir(), "payments-schemas-"));
  project.provide("postgresUrl", postgres.url);
  project.provide("homeSchemas", { folder, count });
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
