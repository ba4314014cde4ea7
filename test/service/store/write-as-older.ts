import type { Payment } from "../../../src/service/domain/payment-state.ts";
import { query, type Driver } from "../../../src/service/store/driver.ts";
import { paymentIn } from "../../testkit/payment-in.ts";
import { atMs } from "./contract/writes.ts";

/** Writes a payment as a version before wrote it, which knows nothing of what is new. */
export async function writeAsOlder(driver: Driver): Promise<Payment> {
  const payment = paymentIn("succeeded", atMs);
  await driver.write(() =>
    query(
      `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment)
       VALUES ('acct_1', 0, $1, 'succeeded', 4999, 'eur', $2, $3)`,
      [payment.id, payment.created, JSON.stringify(payment)],
    ),
  );
  return payment;
}
