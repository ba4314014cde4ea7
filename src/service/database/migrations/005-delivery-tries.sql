-- oldest program: 1
-- The last tries of a delivery, as JSON: a list of what the API shows of each. They stand in the delivery's own row, so
-- that a try is written by the statement that writes its outcome, and is deleted with its delivery.
ALTER TABLE deliveries ADD COLUMN tries TEXT;
