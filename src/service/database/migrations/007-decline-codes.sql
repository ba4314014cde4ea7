-- oldest program: 1
-- Why a payment failed. It is NULL in what a program of before writes, until a job fills it behind: of an account and
-- mode it has filled what the payments and events up to `filled_to` say. Nothing here reads or writes rows, so no write
-- waits longer than for the lock.
ALTER TABLE payments ADD COLUMN decline_code TEXT;
ALTER TABLE totals_progress ADD COLUMN filled_to TEXT COLLATE "C" NOT NULL DEFAULT '';
