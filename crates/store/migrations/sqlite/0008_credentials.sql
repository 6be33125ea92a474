-- Credentials beside API keys: OAuth2 clients and users of HTTP Basic; access tokens and the keys
-- that they are signed with. The three tables of credentials have the columns of `Terms` in
-- src/credentials.rs under the same names.

-- Tokens of its clients that were issued before are worth nothing.
alter table applications add column tokens_from_us integer not null default 0;

-- From where a key may be used, as JSON; null for everywhere. A key that is made to try an API is
-- not listed, and swept once it has ended.
alter table api_keys add column allowed text;
alter table api_keys add column try_it integer not null default 0;
create index api_keys_to_try on api_keys (expires_us) where try_it = 1;

-- A client has a digest (and hint) of its secret, or the JWK Set of its keys (jwks). `algorithm` is
-- null where its tokens are opaque.
create table clients (
    id integer primary key not null,
    application integer not null references applications (id) on delete cascade,
    name text not null,
    environment text not null,
    not_before_us integer,
    expires_us integer,
    allowed text,
    created_by integer not null,
    created_us integer not null,
    revoked_us integer,
    suspended_us integer,
    suspended_with_owner integer not null default 0,
    last_used_us integer,
    try_it integer not null default 0,
    digest blob,
    hint text,
    previous_digest blob,
    previous_until_us integer,
    jwks text,
    scopes text not null,
    algorithm text,
    lifetime_s integer not null,
    tokens_from_us integer not null default 0
) strict;
create index clients_by_application on clients (application, id);

create table basic_users (
    id integer primary key not null,
    application integer not null references applications (id) on delete cascade,
    name text not null,
    environment text not null,
    not_before_us integer,
    expires_us integer,
    allowed text,
    created_by integer not null,
    created_us integer not null,
    revoked_us integer,
    suspended_us integer,
    suspended_with_owner integer not null default 0,
    last_used_us integer,
    try_it integer not null default 0,
    user_name text not null,
    digest blob not null,
    hint text not null,
    previous_digest blob,
    previous_until_us integer
) strict;
create index basic_users_by_application on basic_users (application, id);
create index basic_users_to_try on basic_users (expires_us) where try_it = 1;

-- Every name that a user of HTTP Basic ever had, also after its application was deleted.
create table basic_user_names (
    name text primary key not null collate nocase
) strict, without rowid;

-- Opaque access tokens: of a client, or of an application that tries an API.
create table tokens (
    id integer primary key not null,
    digest blob not null unique,
    client integer references clients (id) on delete cascade,
    application integer references applications (id) on delete cascade,
    environment text,
    scopes text not null,
    resource text,
    issued_us integer not null,
    expires_us integer not null
) strict;
create index tokens_by_client on tokens (client) where client is not null;
create index tokens_by_application on tokens (application) where application is not null;
create index tokens_by_expiry on tokens (expires_us);

-- Tokens of either form that were revoked, until they would have expired.
create table revoked_tokens (
    id integer primary key not null,
    expires_us integer not null
) strict;
create index revoked_tokens_by_expiry on revoked_tokens (expires_us);

-- `private` is sealed by the master key.
create table signing_keys (
    id integer primary key not null,
    name text not null unique,
    algorithm text not null,
    public blob not null,
    private text not null,
    created_us integer not null,
    signs_from_us integer not null,
    signs_until_us integer,
    ends_us integer
) strict;
