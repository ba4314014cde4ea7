-- oldest program: 1
-- The programs that have created payments in the last minute. What `writer` wrote up to `settled_to`, an id, has
-- appeared: who reads payments regularly looks for new ones from there on. The row is written with a payment,
-- `announced_by`, before the first of its others appears, and then now and then.
CREATE TABLE search_writers (
  account_id TEXT COLLATE "C" NOT NULL,
  livemode BIGINT NOT NULL,
  writer TEXT NOT NULL,
  settled_to TEXT COLLATE "C" NOT NULL,
  announced_by TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode, writer)
);
