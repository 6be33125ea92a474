-- API keys that an administrator has suspended: kept off the gateways until they are resumed.

alter table api_keys add column suspended_us integer;
