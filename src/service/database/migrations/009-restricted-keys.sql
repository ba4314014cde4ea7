-- oldest program: 1
-- Keys that may do less than all, or end by themselves. They stand apart from `api_keys`, where a program of before would
-- find them and let them do everything: it refuses them, and neither lists nor rolls them. `permissions` has spaces
-- between them; `max_refund` bounds each refund, in minor units.
CREATE TABLE restricted_keys (
  account_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  last4 TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  permissions TEXT NOT NULL,
  max_refund BIGINT,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX restricted_keys_by_account_and_hash ON restricted_keys (account_id, hash);
CREATE INDEX restricted_keys_by_hash ON restricted_keys (hash);
