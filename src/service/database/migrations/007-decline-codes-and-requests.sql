-- oldest program: 1
-- What takes long comes first: from the change of `payments` on, no payment is written until all is done. Only the log of
-- requests waits for its index, and no request waits for that log.
--
-- A request is found by its idempotency key itself, in the order of a list. Older programs still write `key_place` and
-- `key_hash`, which nothing else reads.
CREATE INDEX requests_by_idempotency_key ON requests (account_id, livemode, idempotency_key, id)
  WHERE idempotency_key IS NOT NULL;
DROP INDEX requests_by_key;
-- Why a payment failed. It is NULL in what older programs write, until the totals' job has filled it: of an account and
-- mode up to `filled_to`, as `counted_to` says how far its totals reach. What is counted is filled before.
ALTER TABLE totals_progress ADD COLUMN filled_to TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE payments ADD COLUMN decline_code TEXT;
