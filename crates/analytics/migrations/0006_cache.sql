-- What the cache of responses did for the calls, as a part of the key. It shares the column of the
-- refusal: the low eight bits are the refusal's number, those above them the cache's use. A column of
-- its own in the primary key would rewrite both tables, while the program waits to start. Calls of
-- earlier releases read as calls without a cache.
alter table usage_minutes rename column refusal to outcome;
alter table usage_minutes add column refusal integer generated always as (outcome & 255) virtual;
alter table usage_minutes add column cache integer generated always as (outcome >> 8) virtual;
alter table usage_hours rename column refusal to outcome;
alter table usage_hours add column refusal integer generated always as (outcome & 255) virtual;
alter table usage_hours add column cache integer generated always as (outcome >> 8) virtual;
