-- A token bucket's word has a second half: its era.
alter table quotas add column era integer not null default 0;
