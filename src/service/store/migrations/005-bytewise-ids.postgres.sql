-- Ids are in the order of their bytes. Where a language's rules say otherwise (in Danish `aa` comes after
-- `z`), what is sorted by is told to follow bytes; elsewhere nothing needs to be rebuilt.
DO $$ BEGIN
  IF EXISTS (
    SELECT 1 FROM generate_series(0, 255) one, generate_series(0, 255) other
    WHERE (lpad(to_hex(one), 2, '0') < lpad(to_hex(other), 2, '0')) <> (one < other)
  ) THEN
    ALTER TABLE payments ALTER COLUMN id TYPE TEXT COLLATE "C";
    ALTER TABLE settlements ALTER COLUMN payment_id TYPE TEXT COLLATE "C";
    ALTER TABLE hosted_pages ALTER COLUMN payment_id TYPE TEXT COLLATE "C";
    ALTER TABLE api_keys ALTER COLUMN id TYPE TEXT COLLATE "C";
  END IF; END $$;
