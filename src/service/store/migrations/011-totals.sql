-- What has become of the payments of a day: how many of them are in a state, by why they failed, and the sum of
-- their amounts, which may pass what a BIGINT holds. `day` counts from 1970, in UTC.
CREATE TABLE totals (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  day BIGINT NOT NULL,
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  code TEXT NOT NULL,
  payments BIGINT NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (account_id, livemode, day, currency, status, code)
);
-- Payments and events up to this UUID are in the totals.
CREATE TABLE totals_progress (
  account_id TEXT NOT NULL,
  livemode BIGINT NOT NULL,
  counted_to TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode)
);
