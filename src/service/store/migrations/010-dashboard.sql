-- Who works with payments in the dashboard, and how they get in. They are few, and are found without an account.
CREATE TABLE operators (
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  created BIGINT NOT NULL,
  last_seen_at BIGINT,
  PRIMARY KEY (id)
);
CREATE TABLE operator_accounts (
  account_id TEXT NOT NULL,
  operator_id TEXT NOT NULL,
  PRIMARY KEY (account_id, operator_id)
);
CREATE INDEX operator_accounts_by_operator ON operator_accounts (operator_id);
-- A link that signs in once. Of it, as of a session's secret, only the SHA-256 is kept.
CREATE TABLE invitations (
  hash TEXT NOT NULL,
  operator_id TEXT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX invitations_by_operator ON invitations (operator_id);
CREATE TABLE operator_sessions (
  hash TEXT NOT NULL,
  operator_id TEXT NOT NULL,
  begun_at_ms BIGINT NOT NULL,
  used_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);
-- Who did what in an account. `livemode` is NULL where it belongs to no mode. Ids follow time, by their bytes.
CREATE TABLE activity (
  account_id TEXT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT,
  actor_type TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  action TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  subject_name TEXT,
  detail TEXT,
  PRIMARY KEY (account_id, id)
);
-- When a key was used, to the minute. A version before this one leaves it as it is.
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
