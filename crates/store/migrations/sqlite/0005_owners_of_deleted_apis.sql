-- Whose an API was when it was deleted, for the API and its versions: usage goes on being its
-- owner's to read. Null for what was deleted before, and for applications.

alter table deleted_names add column owner integer;
create index deleted_names_by_owner on deleted_names (owner) where owner is not null;
