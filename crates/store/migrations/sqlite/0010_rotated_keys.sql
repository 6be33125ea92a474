-- A rotated key ends with its grace, or at its own `expires_us` if that is earlier; its successor
-- inherits `expires_us` alone. Of keys that were rotated before, the grace stays in `expires_us`.

alter table api_keys add column grace_until_us integer;
alter table api_keys add column successor integer;
