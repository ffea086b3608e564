drop table troupe.sessions;
drop table troupe.events;
drop table troupe.branch_keys;
drop table troupe.branches;
drop type troupe.session_status;
drop type troupe.event_type;
