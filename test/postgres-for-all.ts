import type { TestProject } from "vitest/node";
import { hasty, startPostgres } from "./start-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a PostgreSQL for all tests runs, if this run is on PostgreSQL. */
    postgresUrl: string | undefined;
  }
}

/** Starts a PostgreSQL for all the tests of a run, and stops it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres(hasty);
  project.provide("postgresUrl", postgres.url);
  return postgres.stop;
}
