-- OpenAPI documents belong to drafts and revisions, and are stored once per content: `digest` is the
-- SHA-256 of the bytes in hexadecimal, or `version-…` for a document from before this migration.
-- Until now a version had one document, so its draft and all its revisions get that one.

create table document_bytes (
    digest text primary key not null,
    media_type text not null,
    bytes blob not null
) strict;

alter table versions add column draft_document text references document_bytes (digest);
alter table revisions add column document text references document_bytes (digest);
create index versions_by_document on versions (draft_document) where draft_document is not null;
create index revisions_by_document on revisions (document) where document is not null;

insert into document_bytes (digest, media_type, bytes)
    select 'version-' || version, media_type, bytes from documents;
update versions set draft_document = 'version-' || id
    where id in (select version from documents);
update revisions set document = 'version-' || version
    where version in (select version from documents);
drop table documents;

-- The number of a version's latest revision, which may be deleted: numbers are not used again.
alter table versions add column last_revision integer not null default 0;
update versions set last_revision =
    coalesce((select max(number) from revisions where version = versions.id), 0);

-- The number of the revision that a step deployed. A deployment without a change of state is a step
-- from a state to itself.
alter table lifecycle_history add column revision integer;

-- The deprecation of a version; null unless it is deprecated. The sunset is the announced end.
alter table versions add column deprecated_us integer;
alter table versions add column sunset_us integer;
alter table versions add column successor integer references versions (id) on delete set null;
alter table versions add column deprecation_text text;
create index versions_by_successor on versions (successor) where successor is not null;
