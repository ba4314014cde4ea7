-- Lists follow the bytes of ids, which no index does that sorts by the rules of the database's language.
-- payments_by_status stays for replicas of the version before, which ask in that order while they are
-- replaced; a later migration can drop it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_bytes
  ON payments (account_id, livemode, id COLLATE "C");
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_status_and_bytes
  ON payments (account_id, livemode, status, id COLLATE "C");
