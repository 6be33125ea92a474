-- Keys that were suspended because their application's owner was kept out: resumed together, those
-- that were suspended one by one stay so. Of those that are suspended already it is not known.

alter table api_keys add column suspended_with_owner integer not null default 0;
update api_keys set suspended_with_owner = 1 where suspended_us is not null;
