// A process of its own: `node write-payments.ts FILE COUNT` opens the database, writes COUNT
// payments, and prints the account's secret and then each payment's id once it was answered.
import { firstSecret, newAccount, paymentIn } from "../../testkit/database/records.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { atMs, writeOf } from "./contract/writes.ts";

const [file = "", count = "0"] = process.argv.slice(2);
const store = await openStore(await openSqlite({ file }), newAccount());
process.stdout.write(`${await firstSecret(store)}\n`);
for (let i = 0; i < Number(count); i++) {
  const payment = paymentIn("succeeded", atMs);
  await store.createPayment(() => writeOf(payment));
  process.stdout.write(`${payment.id}\n`);
}
await store.close();
