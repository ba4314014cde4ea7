import { onTestFinished } from "vitest";
import type { Store } from "../../../src/service/ports/ports.ts";
import type { Driver } from "../../../src/service/store/driver.ts";
import { openSqlite } from "../../../src/service/store/sqlite.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { temporaryFile } from "../temporary-file.ts";
import { newAccount } from "./new-account.ts";

/** Opens a store on a database file, and its driver; closed when the test has ended. */
export async function openFile(
  options: { file?: string; maxPages?: number } = {},
): Promise<{ file: string; driver: Driver; store: Store }> {
  const file = options.file ?? temporaryFile();
  const driver = await openSqlite({ ...options, file });
  onTestFinished(async () => driver.close());
  return { file, driver, store: await openStore(driver, newAccount()) };
}
