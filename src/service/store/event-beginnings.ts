import { query, type Transaction } from "./driver.ts";

/** Where the payments of an account and mode end that are from before there were events. */
type Beginning = { accountId: string; livemode: number; paymentId: string };

/** So much of an id stands for its time but for the last minutes: clocks of replicas differ. */
const knownDigits = "pay_0199c5a".length;

/**
 * The newest payment of each account and mode, in a database that has no events yet: one look at an index for
 * each, before the tables are locked to be changed.
 */
export function* selectNewestPayments(): Transaction<Beginning[]> {
  const accounts = yield* query<{ id: string }>("SELECT id FROM accounts", []);
  const beginnings: Beginning[] = [];
  for (const { id: accountId } of accounts) {
    for (const livemode of [0, 1]) {
      const [newest] = yield* query<{ id: string }>(
        `SELECT id FROM payments WHERE account_id = $1 AND livemode = $2 ORDER BY id COLLATE "C" DESC LIMIT 1`,
        [accountId, livemode],
      );
      if (newest) beginnings.push({ accountId, livemode, paymentId: newest.id });
    }
  }
  return beginnings;
}

/** Keeps them: payments up to there are not looked through for events. */
export function* storeBeginnings(beginnings: Beginning[]): Transaction<void> {
  for (const { accountId, livemode, paymentId } of beginnings) {
    yield* query(
      "INSERT INTO event_beginnings (account_id, livemode, payment_id) VALUES ($1, $2, $3)",
      [accountId, livemode, paymentId.slice(0, knownDigits)],
    );
  }
}
