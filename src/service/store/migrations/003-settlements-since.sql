-- Since when a settlement is due. `due_at_ms` moves on whenever somebody takes it or cannot finish it,
-- and so does not tell how long its payment has waited. A version before this one leaves it NULL.
ALTER TABLE settlements ADD COLUMN since_ms BIGINT;
UPDATE settlements SET since_ms = due_at_ms;
CREATE INDEX settlements_by_since ON settlements (since_ms);
