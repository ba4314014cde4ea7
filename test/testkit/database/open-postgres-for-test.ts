import { onTestFinished, type TestContext } from "vitest";
import type { Driver } from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { addParameters } from "./add-parameters.ts";
import { newDatabase } from "./new-database.ts";

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
