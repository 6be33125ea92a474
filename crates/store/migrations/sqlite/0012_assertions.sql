-- Assertions that clients have authenticated with, until they expire: each is valid once. `digest`
-- is that of its id (`jti`).
create table assertions (
    client integer not null references clients (id) on delete cascade,
    digest blob not null,
    expires_us integer not null,
    primary key (client, digest)
) strict, without rowid;
create index assertions_by_expiry on assertions (expires_us);
