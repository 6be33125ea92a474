-- SOAP services: what kind an API is, and the documents of the contracts that were imported for its
-- versions. A contract is named by the digest of its documents (contract, hexadecimal), so drafts
-- and revisions go on referring to the one they were made with.

alter table apis add column kind text not null default 'rest';

create table contract_documents (
    version integer not null references versions (id) on delete cascade,
    contract text not null,
    position integer not null,
    requested text not null,
    location text not null,
    bytes blob not null,
    primary key (version, contract, position)
) strict, without rowid;
