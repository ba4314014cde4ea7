-- The page of a hosted payment. Until it is paid, canceled or expired it is open, and whoever works on
-- its payment claims it for a while. Then `open_until_ms` is NULL.
CREATE TABLE hosted_pages (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  token TEXT NOT NULL,
  return_url TEXT,
  expires_at_ms BIGINT NOT NULL,
  open_until_ms BIGINT,
  claimed_until_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, payment_id)
);
CREATE INDEX hosted_pages_by_token ON hosted_pages (token);
CREATE INDEX hosted_pages_by_open_until ON hosted_pages (open_until_ms);
