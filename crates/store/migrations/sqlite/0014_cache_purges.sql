-- Purges of stored responses at gateways. The id is the number of the purge: it is never used again,
-- so a gateway knows which purges of a version it has carried out. `selector` is JSON.

create table cache_purges (
    id integer primary key autoincrement,
    version integer not null references versions (id) on delete cascade,
    selector text not null,
    created_us integer not null,
    created_by integer references users (id) on delete set null
) strict;

create index cache_purges_by_version on cache_purges (version, id);
