-- The format of a checkpoint's word; the crate `counters` defines it. Earlier releases wrote 0: windows
-- without their number.
alter table quotas add column format integer not null default 0;
-- The number of columns of a checkpoint in an entry. Earlier releases wrote four.
alter table journal add column quota_columns integer not null default 4;
