-- The scopes by approval that the owner of the API granted to a subscription: a JSON array; null
-- for none.

alter table subscriptions add column scopes text;
