-- Microseconds spent running steps of policies, and the calls by what answered them. Calls of earlier
-- releases, and calls that lost their detail, are in none of these columns.
alter table usage_minutes add column mediate_us_sum integer not null default 0;
alter table usage_minutes add column answered_upstream integer not null default 0;
alter table usage_minutes add column answered_policy integer not null default 0;
alter table usage_minutes add column answered_mock integer not null default 0;
alter table usage_minutes add column answered_preflight integer not null default 0;
alter table usage_minutes add column answered_gateway integer not null default 0;
alter table usage_hours add column mediate_us_sum integer not null default 0;
alter table usage_hours add column answered_upstream integer not null default 0;
alter table usage_hours add column answered_policy integer not null default 0;
alter table usage_hours add column answered_mock integer not null default 0;
alter table usage_hours add column answered_preflight integer not null default 0;
alter table usage_hours add column answered_gateway integer not null default 0;
-- The number of columns of a row in an entry. Earlier releases wrote fourteen.
alter table journal add column columns integer not null default 14;
