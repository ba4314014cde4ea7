-- oldest program: 1
-- A request without an idempotency key has no place, and no row in the index of places. Only the log of requests waits
-- until the index is made anew, before the other changes, and no request waits for that log; in a file all writes do.
CREATE INDEX requests_by_key_place ON requests (account_id, livemode, key_place, key_hash) WHERE key_place IS NOT NULL;
DROP INDEX requests_by_key;
-- Why a payment failed. It is NULL in what a program of before writes, until a job fills it behind: of an account and
-- mode it has filled what the payments and events up to `filled_to` say. Neither reads or writes rows, so no write
-- waits longer than for the lock.
ALTER TABLE payments ADD COLUMN decline_code TEXT;
ALTER TABLE totals_progress ADD COLUMN filled_to TEXT COLLATE "C" NOT NULL DEFAULT '';
