CREATE TABLE accounts (
  id TEXT NOT NULL,
  default_version TEXT NOT NULL,
  fingerprint_secret TEXT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE api_keys (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  last4 TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX api_keys_by_account_and_hash ON api_keys (account_id, hash);
CREATE INDEX api_keys_by_hash ON api_keys (hash);

-- `payment` is the payment as the API shows it, in JSON. What is asked by, and what an operator would
-- ask by, stands beside it; of these only `status` ever changes, always together with `payment`.
CREATE TABLE payments (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  created BIGINT NOT NULL,
  payment TEXT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX payments_by_status ON payments (account_id, livemode, status, id);

CREATE TABLE settlements (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  due_at_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, payment_id)
);
CREATE INDEX settlements_by_due ON settlements (due_at_ms);

CREATE TABLE idempotency_records (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status BIGINT NOT NULL,
  body TEXT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, idempotency_key)
);
CREATE INDEX idempotency_records_by_expiry ON idempotency_records (expires_at_ms);
