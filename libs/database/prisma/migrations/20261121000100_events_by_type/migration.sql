-- A list of events of one type costs the rows that it returns, and not the events of other types that it skips.
CREATE INDEX compact_events_by_type ON webhooks.compact_events (company_id, environment, type, id);
CREATE INDEX events_by_type ON webhooks.events (company_id, environment, type, created_at, id);
