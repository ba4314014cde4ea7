import { onTestFinished, type TestContext } from "vitest";
import type { Driver } from "../../../src/service/store/driver.ts";
import { openPostgres } from "../../../src/service/store/postgres.ts";
import { newDatabase } from "./new-database.ts";

/** The URL of a database with more settings; what belongs to a session is said in `options`. */
export function urlWith(url: string, parameters: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    const before = name === "options" ? `${address.searchParams.get(name) ?? ""} ` : "";
    address.searchParams.set(name, before + value);
  }
  return address.href;
}

/**
 * A driver on a new database, or on the one that is given; closed when the test has ended. A test that
 * runs at the same time as others gives its context.
 */
export async function openPostgresForTest(
  parameters: Record<string, string> = {},
  database?: string,
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<{ driver: Driver; database: string }> {
  const url = database ?? (await newDatabase());
  const driver = openPostgres(urlWith(url, parameters));
  context.onTestFinished(async () => driver.close());
  return { driver, database: url };
}
