drop view troupe.event_log;
