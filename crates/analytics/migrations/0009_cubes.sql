-- Cubes: sums of calls by a few dimensions, in pages of many rows. `level` is 0 for minutes, 1 for hours, 2
-- for days; `start` is the first minute of the rows, since 1970 (UTC). `low` and `high` are the first and the
-- last value of the cube's first dimension. `source` is the gateway that recorded the calls, 0 for the process
-- itself. `part` tells apart what was written of a time at different moments: of a minute the batch, negative
-- for calls that were only counted; of an hour and a day a number. `sums` and `sketches` are described in
-- page.rs.
create table pages (
    cube text not null,
    level bigint not null,
    start bigint not null,
    low bigint not null,
    high bigint not null,
    source bigint not null,
    part bigint not null,
    page bigint not null,
    sums blob not null,
    sketches blob,
    primary key (cube, level, start, low, high, source, part, page)
);

-- How far the levels of a cube reach, in minutes since 1970: from where it has minutes and hours, and
-- before where it has hours and days.
create table cubes (
    name text primary key not null,
    minutes_from bigint not null,
    hours_from bigint not null,
    hours_to bigint not null,
    days_to bigint not null
) without rowid;

-- How far the calls of an epoch of the spool are in the cubes: all before `next`, but those of the minute
-- `open` and the one after it. The first of these has the number `first`.
create table places (
    source bigint not null,
    epoch bigint not null,
    open bigint not null,
    first bigint not null,
    next bigint not null,
    primary key (source, epoch)
) without rowid;

-- Whether a release with cubes has used the file: the calls that the spool had before are not read.
alter table state add column has_cubes integer not null default 0;
