-- Until when an expired page is left to the process that ends its payment. `claimed_until_ms` is the claim
-- of whoever pays; a version before this one takes that to end a payment, too, and leaves this column 0.
ALTER TABLE hosted_pages ADD COLUMN expiry_leased_until_ms BIGINT NOT NULL DEFAULT 0;
