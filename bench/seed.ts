import { v7 } from "uuid";
import { parseCreated } from "../src/service/database/ids.ts";
import {
  beginPayment,
  failPayment,
  succeedPayment,
} from "../src/service/payments/payment-state.ts";
import { openDriver } from "../src/service/database/database.ts";
import { openStore } from "../src/service/server/open-service.ts";
import { newAccount } from "../test/testkit/database/records.ts";

const card = { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" };
const atOnce = 1_000;

/**
 * Fills a database with payments of each account in turn, one in ten failed, `apartMs` apart; gives their ids, oldest
 * first.
 */
export async function seed(
  database: string,
  count: number,
  accounts = 1,
  apartMs = 1_000,
): Promise<string[]> {
  const store = await openStore(await openDriver(database), newAccount());
  for (let made = 1; made < accounts; made++) await store.insertAccount(newAccount());
  const accountIds = (await store.listAccounts()).map(({ id }) => id);
  const startMs = Date.now() - count * apartMs;
  const ids: string[] = [];
  for (let done = 0; done < count; done += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, count - done) }, (_, index) => {
      const accountId = accountIds[(done + index) % accounts] ?? "";
      const id = `pay_${v7({ msecs: startMs + (done + index) * apartMs })}`;
      ids.push(id);
      const created = parseCreated(id);
      const pending = beginPayment({
        id,
        amount: 100 + index,
        currency: "eur",
        description: `Order ${done + index}`,
        card,
        customer: { email: "ada@example.com", name: "Ada Lovelace" },
        metadata: { order_id: String(done + index) },
        redirect_url: null,
        created,
        livemode: false,
      });
      const payment =
        index % 10 === 0
          ? failPayment(pending, "insufficient_funds", created)
          : succeedPayment(pending, card, created);
      return store.createPayment(() => ({
        scope: { accountId, livemode: false },
        payment,
        json: JSON.stringify(payment),
        event: { id: id.replace("pay_", "evt_"), nowMs: created * 1000, dueAtMs: created * 1000 },
        charge: undefined,
        page: undefined,
        idempotency: undefined,
      }));
    });
    await Promise.all(batch);
  }
  await store.close();
  return ids;
}
