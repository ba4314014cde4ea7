import { expect, test } from "vitest";
import { openStore } from "../../../src/service/store/store.ts";
import { newAccount } from "./new-account.ts";
import { openPostgresForTest } from "./open-postgres-for-test.ts";
import { addPage, canceled, closing, onPage, toPaid } from "./contract/charges.ts";

/** Who waits for each other waits for ever. */
const endless = { options: "-c deadlock_timeout=1h" };

test("a charge's outcome and the end of its page never wait for each other", async () => {
  const { driver, database } = await openPostgresForTest(endless);
  const { driver: other } = await openPostgresForTest(endless, database);
  const one = await openStore(driver, newAccount());
  const two = await openStore(other, newAccount());
  const tokens = Array.from({ length: 40 }, (_, i) => `token${i}`);
  const payments = await Promise.all(tokens.map((token) => addPage(one, token)));
  for (const payment of payments) await one.chargePage(onPage(payment));
  const ends = await Promise.all(
    payments.flatMap((payment) => [
      one.moveCharge(toPaid(payment)),
      two.closePage(closing(canceled(payment))),
    ]),
  );
  expect(ends.filter((end) => end === "written")).toHaveLength(payments.length);
});
