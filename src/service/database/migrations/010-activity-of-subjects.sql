-- oldest program: 1
-- Who did something with a payment, or with an event, is looked for by its id. Creations of payments write no activity:
-- refunds, cancellations, resends and what operators do are one row more each. To make it the activity of a year is read
-- once, and what writes it waits as long.
CREATE INDEX activity_by_subject ON activity (account_id, subject_id, id);
