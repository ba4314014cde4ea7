-- oldest program: 1
-- The search index: which payments have a term (a word, an e-mail address, the end of a card, …). It is written behind
-- the payments, by the replica that holds the lease, and covers the payments of an account and mode after
-- `indexed_from` up to `indexed_to`, both ids. `next_segment` numbers the segments.
CREATE TABLE search_progress (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  indexed_from TEXT COLLATE "C" NOT NULL,
  indexed_to TEXT COLLATE "C" NOT NULL,
  next_segment BIGINT NOT NULL,
  owner TEXT NOT NULL,
  lease_until_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode)
);
-- A part of the index that never changes: it is replaced by a larger one, then `retired_at_ms` says when. `low` and
-- `high` are its first and last key.
CREATE TABLE search_segments (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  segment BIGINT NOT NULL,
  payments BIGINT NOT NULL,
  low BIGINT NOT NULL,
  high BIGINT NOT NULL,
  retired_at_ms BIGINT,
  PRIMARY KEY (account_id, livemode, segment)
);
-- The lists of a segment, cut into blocks: one list of all rare terms (-1), and one of each common term, whose number
-- is the term's hash. `start` is a block's first term or key.
CREATE TABLE search_blocks (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  segment BIGINT NOT NULL,
  list BIGINT NOT NULL,
  start BIGINT NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (account_id, livemode, segment, list, start)
);
-- A range of ids that was indexed while payments might still appear in it, and how many payments it had.
CREATE TABLE search_recent (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  up_to TEXT COLLATE "C" NOT NULL,
  after_id TEXT COLLATE "C" NOT NULL,
  payments BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, up_to)
);
-- Payments that may have got terms since they were written, until they are indexed again. `revision` counts changes.
CREATE TABLE search_changes (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (account_id, livemode, payment_id)
);
