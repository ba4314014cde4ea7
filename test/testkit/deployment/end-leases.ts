import { join } from "node:path";
import { openDriver } from "../../../src/service/database/database.ts";
import { queryRows } from "../../../src/service/database/driver.ts";
import { databaseOfHome } from "../database/home-database.ts";

const statements = [
  "UPDATE charges SET due_at_ms = 0 WHERE due_at_ms > 0",
  "UPDATE hosted_pages SET claimed_until_ms = 0 WHERE claimed_until_ms > 0",
  "UPDATE idempotency_records SET locked_until_ms = 1 WHERE locked_until_ms > 0",
];

/** Ends the leases and locks that a killed service of this home has left, which last 30 s. No other may be running. */
export async function endLeases(home: string): Promise<void> {
  const file = `sqlite:${join(home, ".local/share/payments/payments.db")}`;
  const driver = await openDriver(databaseOfHome(home).PAYMENTS_DATABASE ?? file);
  for (const sql of statements) await driver.write(() => queryRows(sql, []));
  await driver.close();
}
