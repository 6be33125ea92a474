-- Of the calls, those with a SOAP message that did not agree with itself or with its contract.
alter table usage_minutes add column mismatched integer not null default 0;
alter table usage_hours add column mismatched integer not null default 0;
