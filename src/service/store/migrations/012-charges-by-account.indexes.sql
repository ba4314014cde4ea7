-- What is due of an account: so one that has much of it keeps none of another waiting.
CREATE INDEX CONCURRENTLY IF NOT EXISTS charges_by_account_and_due
  ON charges (account_id, due_at_ms, network);
