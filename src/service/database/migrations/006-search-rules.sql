-- oldest program: 1
-- `rules` numbers the rules by which an index has terms. A program with newer ones begins the index anew: it moves the
-- lease into `leased_until_ms`, and sets `lease_until_ms`, `indexed_from` and `indexed_to` so that a program that knows
-- rule 1 alone, and perhaps still runs, neither writes this index nor relies on it. How far the index reaches stands in
-- `covered_from` and `covered_to`.
ALTER TABLE search_progress ADD COLUMN rules BIGINT NOT NULL DEFAULT 1;
ALTER TABLE search_progress ADD COLUMN covered_from TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE search_progress ADD COLUMN covered_to TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE search_progress ADD COLUMN leased_until_ms BIGINT NOT NULL DEFAULT 0;
