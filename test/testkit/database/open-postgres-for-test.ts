import { onTestFinished, type TestContext } from "vitest";
import type { Driver } from "../../../src/service/store/driver.ts";
import { openPostgres } from "../../../src/service/store/postgres.ts";
import { newDatabase } from "./new-database.ts";

/** Adds parameters to a database's URL; `options` is appended to the present value. */
export function addParameters(url: string, parameters: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    const before = name === "options" ? `${address.searchParams.get(name) ?? ""} ` : "";
    address.searchParams.set(name, before + value);
  }
  return address.href;
}

/**
 * Opens a driver on a new database, or on `database`; closed when the test has ended. A concurrent test passes its
 * context.
 */
export async function openPostgresForTest(
  parameters: Record<string, string> = {},
  database?: string,
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<{ driver: Driver; database: string }> {
  const url = database ?? (await newDatabase());
  const driver = openPostgres(addParameters(url, parameters));
  context.onTestFinished(async () => driver.close());
  return { driver, database: url };
}
