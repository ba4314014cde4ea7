import { onTestFinished } from "vitest";
import type { Store } from "../../../src/service/ports/ports.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { openStore } from "../../../src/service/server/open-store.ts";
import { temporaryFile } from "../temporary-file.ts";
import { newAccount } from "./new-account.ts";

/**
 * Opens a store on a database file, and its driver; closed when the test has ended. `maxPages` limits the file's size,
 * as a full disk would.
 */
export async function openFile({
  file = temporaryFile(),
  maxPages,
}: { file?: string; maxPages?: number } = {}): Promise<{
  file: string;
  driver: Driver;
  store: Store;
}> {
  const driver = await openSqlite({ file });
  if (maxPages) await driver.read(() => queryRows(`PRAGMA max_page_count = ${maxPages}`, []));
  onTestFinished(async () => driver.close());
  return { file, driver, store: await openStore(driver, newAccount()) };
}
