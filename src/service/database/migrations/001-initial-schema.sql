-- oldest program: 1
-- Every migration begins with such a line: the last migration that the oldest program knows which still works with the
-- schema as it is from here on. A migration that was applied never changes. Ids are COLLATE "C": they are ordered by
-- their bytes, and so by time, whatever language the database sorts by.
CREATE TABLE accounts (
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  default_version TEXT NOT NULL,
  fingerprint_secret TEXT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (id)
);
-- Of a key, as of an invitation and a session, only the SHA-256 is stored. `last_used_at` is exact to the minute.
CREATE TABLE api_keys (
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
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX api_keys_by_account_and_hash ON api_keys (account_id, hash);
CREATE INDEX api_keys_by_hash ON api_keys (hash);
-- `payment` is the payment as the API shows it, in JSON. The columns beside it are what is searched by. `events` is how
-- many events the payment has made, and `last_event_id` the last one that stands in `events`. Until its first change a
-- payment is its first event itself, of the same UUID: while `last_event_id` is NULL and its status is `first_status`.
CREATE TABLE payments (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL,
  amount BIGINT NOT NULL,
  currency TEXT NOT NULL,
  created BIGINT NOT NULL,
  payment TEXT NOT NULL,
  events BIGINT NOT NULL,
  first_status TEXT NOT NULL,
  last_event_id TEXT COLLATE "C",
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX payments_by_status ON payments (account_id, livemode, status, id);
-- The charge of a payment: the action that is pending at its card network, or its outcome. A network that moves money
-- is asked after its charge is written; the simulator's is written where it decides later. It is stored as long as its
-- payment, since a refund needs the network's reference. `network` is which one: no other knows of it. `due_at_ms` is
-- NULL where no action is pending.
CREATE TABLE charges (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT COLLATE "C" NOT NULL,
  network TEXT NOT NULL,
  pending_action TEXT NOT NULL,
  reference TEXT,
  begun_at_ms BIGINT NOT NULL,
  undecided_since_ms BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  due_at_ms BIGINT,
  PRIMARY KEY (account_id, livemode, payment_id)
);
CREATE INDEX charges_by_due ON charges (due_at_ms, network);
CREATE INDEX charges_by_account_and_due ON charges (account_id, due_at_ms, network);
-- `status` is 0 and `body` empty while a request has no response yet. Until `locked_until_ms` the request may still be
-- at work; 0 where its response is final.
CREATE TABLE idempotency_records (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  idempotency_key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  status BIGINT NOT NULL,
  body TEXT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  locked_until_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, idempotency_key)
);
CREATE INDEX idempotency_records_by_expiry ON idempotency_records (expires_at_ms);
-- The page of a hosted payment. Until it is paid, canceled or expired it is open, then `open_until_ms` is NULL. A
-- customer who pays claims it until `claimed_until_ms`; a job that expires it leases it until `lease_until_ms`.
CREATE TABLE hosted_pages (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  return_url TEXT,
  expires_at_ms BIGINT NOT NULL,
  open_until_ms BIGINT,
  claimed_until_ms BIGINT NOT NULL,
  lease_until_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, payment_id)
);
CREATE INDEX hosted_pages_by_token ON hosted_pages (token);
CREATE INDEX hosted_pages_by_open_until ON hosted_pages (open_until_ms);
-- A payment as it was when it came to be in a state.
CREATE TABLE events (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  payment_id TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  type TEXT NOT NULL,
  payment TEXT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX events_by_payment ON events (account_id, livemode, payment_id, id);
CREATE INDEX events_by_type ON events (account_id, livemode, type, id);
-- Where events are sent. Each endpoint of an account and mode has a slot of its own, which limits how many there are.
-- A listener has no `url`; events are queued for it until `queues_until_ms`, a day after it was last connected.
CREATE TABLE webhook_endpoints (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  slot BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  url TEXT,
  types TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  disabled_reason TEXT,
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until_ms BIGINT NOT NULL,
  queues_until_ms BIGINT NOT NULL,
  failing_since_ms BIGINT,
  created BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE UNIQUE INDEX webhook_endpoints_by_slot ON webhook_endpoints (account_id, livemode, slot);
-- An event on its way to an endpoint. `due_at_ms` is NULL where that has ended.
CREATE TABLE deliveries (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  endpoint_id TEXT COLLATE "C" NOT NULL,
  event_id TEXT COLLATE "C" NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  due_at_ms BIGINT,
  last_status BIGINT,
  last_error TEXT,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX deliveries_by_endpoint ON deliveries (account_id, livemode, endpoint_id, id);
CREATE INDEX deliveries_by_due ON deliveries (account_id, livemode, endpoint_id, due_at_ms);
-- The operators of the dashboard, and how they sign in. They are few, and are found without an account.
CREATE TABLE operators (
  id TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  created BIGINT NOT NULL,
  last_seen_at BIGINT,
  PRIMARY KEY (id)
);
CREATE TABLE operator_accounts (
  account_id TEXT COLLATE "C" NOT NULL,
  operator_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, operator_id)
);
CREATE INDEX operator_accounts_by_operator ON operator_accounts (operator_id);
-- A link that signs in once.
CREATE TABLE invitations (
  hash TEXT COLLATE "C" NOT NULL,
  operator_id TEXT COLLATE "C" NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX invitations_by_operator ON invitations (operator_id);
CREATE TABLE operator_sessions (
  hash TEXT COLLATE "C" NOT NULL,
  operator_id TEXT COLLATE "C" NOT NULL,
  begun_at_ms BIGINT NOT NULL,
  used_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  PRIMARY KEY (hash)
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);
-- The audit log: who did what in an account. `livemode` is NULL where an entry belongs to no mode.
CREATE TABLE activity (
  account_id TEXT COLLATE "C" NOT NULL,
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
-- The totals of a day's payments: how many have a status, by the decline code of the failed ones, and the sum of their
-- amounts, which may pass what a BIGINT holds. `day` counts from 1970, in UTC.
CREATE TABLE totals (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  day BIGINT NOT NULL,
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  code TEXT NOT NULL,
  payments BIGINT NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (account_id, livemode, day, currency, status, code)
);
-- The UUID up to which payments and events are in the totals, as the id of a payment.
CREATE TABLE totals_progress (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  counted_to TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode)
);
