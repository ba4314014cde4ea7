-- oldest program: 1
-- A bank that asks the customer (3-D Secure). `challenge_url` is its page while the customer is there, else NULL. When
-- the customer was first sent there stands in `challenged_at_ms`, and in `asked_at_ms` when a browser that came back
-- last made the service ask the network.
ALTER TABLE charges ADD COLUMN challenge_url TEXT;
ALTER TABLE charges ADD COLUMN challenged_at_ms BIGINT;
ALTER TABLE charges ADD COLUMN asked_at_ms BIGINT;
