-- What a card network that moves money was, or is to be, asked: written before it is asked, and kept as long
-- as its payment, since a refund needs the network's reference. `network` is which one: no other knows of it.
-- `due_at_ms` is NULL where nothing is wanted; else it is undecided since its beginning, or since its refund was
-- wanted.
CREATE TABLE charges (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  payment_id TEXT NOT NULL,
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
-- Until when whoever made a request may still be asking a network about it; a version before this one leaves
-- it 0, and asks none.
ALTER TABLE idempotency_records ADD COLUMN held_until_ms BIGINT NOT NULL DEFAULT 0;
