-- How far the secrets of this file are sealed by its master key (src/sqlite/sealing.rs). The step
-- itself is the program's: it needs the key.

create table sealing (
    name text primary key not null,
    value text not null
) strict, without rowid;
