-- oldest program: 1
-- The deliveries of an event have its digits in their ids, but for those of a resend, whose id ends behind its UUID:
-- these few alone are in the index. To make it the deliveries are read once, and what writes them waits as long. When an
-- endpoint last accepted a delivery is NULL until one of this program's succeeds.
CREATE INDEX deliveries_by_resent_event ON deliveries (account_id, livemode, event_id, id) WHERE substr(id, 41, 1) = '';
ALTER TABLE webhook_endpoints ADD COLUMN last_success_at BIGINT;
