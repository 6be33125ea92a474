-- The last write that is here: how many there were, and when it was (Unix microseconds; 0 before
-- the first one that was counted). What was acknowledged is also noted beside the database, so that
-- a start can tell whether some of it is gone. `is_open` is 1 from a start to its clean stop. `probes`
-- changes when somebody asks whether writing works.
create table last_write (
    id integer primary key check (id = 1),
    number integer not null,
    at_us integer not null,
    is_open integer not null,
    probes integer not null
) strict;
insert into last_write values (1, 0, 0, 0, 0);
