-- Why the owner of an API decided so about a subscription, in words; null where nothing was said.

alter table subscriptions add column reason text;
