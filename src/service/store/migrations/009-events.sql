-- How many events a payment has made, and the last one that stands in `events`. Until its first change a payment
-- is its first event itself, of the same UUID: while `last_event_id` is NULL and its status is `first_status`. So
-- most payments need no second row. A version before this one leaves all three as they are, and makes no events.
ALTER TABLE payments ADD COLUMN events BIGINT NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN first_status TEXT;
ALTER TABLE payments ADD COLUMN last_event_id TEXT;
-- Payments up to this id are from before there were events, and are not looked through. It is the newest one's
-- without its last minutes, for replicas whose clocks differ.
CREATE TABLE event_beginnings (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
  PRIMARY KEY (account_id, livemode)
);
-- A payment as it was when it came to be in a state. Ids follow time, by their bytes.
CREATE TABLE events (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  payment_id TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  type TEXT NOT NULL,
  payment TEXT NOT NULL,
  PRIMARY KEY (account_id, livemode, id)
);
CREATE INDEX events_by_payment ON events (account_id, livemode, payment_id, id);
CREATE INDEX events_by_type ON events (account_id, livemode, type, id);
-- Where events are sent. Of an account and mode each has a slot of its own, which limits how many there are.
-- A listener has no `url`; events are queued for it until `queues_until_ms`, a day after it was last seen.
CREATE TABLE webhook_endpoints (
  account_id TEXT NOT NULL,
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
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
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
