-- Figures by minute for 48 hours, then by hour. Ids are raw; 0 stands for "not known" or "none".
-- `minute` is minutes since 1970 (UTC); of an hour it is the first.
create table usage_minutes (
    minute integer not null,
    api integer not null,
    version integer not null,
    operation integer not null,
    application integer not null,
    status integer not null,
    refusal integer not null,
    calls integer not null,
    bytes_in integer not null,
    bytes_out integer not null,
    total_us_sum integer not null,
    total_us_max integer not null,
    upstream_us_sum integer not null,
    primary key (minute, api, version, operation, application, status, refusal)
) without rowid;

create table usage_hours (
    minute integer not null,
    api integer not null,
    version integer not null,
    operation integer not null,
    application integer not null,
    status integer not null,
    refusal integer not null,
    calls integer not null,
    bytes_in integer not null,
    bytes_out integer not null,
    total_us_sum integer not null,
    total_us_max integer not null,
    upstream_us_sum integer not null,
    primary key (minute, api, version, operation, application, status, refusal)
) without rowid;

-- What is known to be missing. `calls` is null where nobody can know.
create table losses (
    reason text not null,
    from_us integer not null,
    to_us integer not null,
    calls integer,
    primary key (reason, from_us)
) without rowid;

-- How far the figures reach: the last batch that was written, until when its calls were drained,
-- and whether a recorder is at work that has not said good-bye.
create table state (
    id integer primary key check (id = 1),
    batch integer not null,
    flushed_us integer not null,
    is_running integer not null
);
insert into state values (1, 0, 0, 0);

-- Checkpoints of counters: quotas of a day and longer.
create table quotas (
    id integer primary key,
    word integer not null,
    end_us integer not null
);
