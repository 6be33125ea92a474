-- Of the calls, those that were admitted although they exceeded a limit: a soft one, or one that only
-- observes.
alter table usage_minutes add column over integer not null default 0;
alter table usage_hours add column over integer not null default 0;
