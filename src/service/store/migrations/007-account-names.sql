-- What customers read on the payment page. A version before this one leaves it as it is here.
ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT 'Default';
