-- oldest program: 1
-- The requests of the API that wrote, were refused or failed. They are written behind the responses, and the oldest are
-- deleted. `error_code` is NULL where a request succeeded.
-- `kind` is the status, 1000 more for the few that delete. An index of idempotency keys would be changed in as many places
-- as a batch has keys. So each key has a place in one of a few rows of places, by a hash, and then by time: a batch
-- changes the ends of these rows, and to find a key one of them is read, with its hash in the index.
CREATE TABLE requests (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status BIGINT NOT NULL,
  duration_ms DOUBLE PRECISION NOT NULL,
  key_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  error_code TEXT,
  error_param TEXT,
  payment_id TEXT COLLATE "C",
  idempotency_key TEXT COLLATE "C",
  kind BIGINT NOT NULL,
  key_place BIGINT,
  key_hash BIGINT,
  replayed BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX requests_by_kind ON requests (account_id, livemode, kind, id);
CREATE INDEX requests_by_payment ON requests (account_id, livemode, payment_id, id);
CREATE INDEX requests_by_key ON requests (account_id, livemode, key_place, key_hash);
