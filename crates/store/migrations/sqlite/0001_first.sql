-- What must outlive a restart. Ids are model::id values, times are Unix microseconds (…_us),
-- words are those of the model, structures are JSON. Who did something (created_by, user of a
-- history row) is kept as a plain id, so that it outlives the user.

create table users (
    id integer primary key not null,
    name text not null unique,
    password text not null,
    one_time integer not null,
    roles text not null,
    disabled integer not null,
    created_us integer not null
) strict;

create table sessions (
    digest blob primary key not null,
    id integer not null,
    owner integer not null references users (id) on delete cascade,
    created_us integer not null,
    expires_us integer not null,
    last_seen_us integer not null
) strict, without rowid;
create index sessions_by_owner on sessions (owner);
create index sessions_by_expiry on sessions (expires_us);

create table access_tokens (
    id integer primary key not null,
    owner integer not null references users (id) on delete cascade,
    name text not null,
    digest blob not null unique,
    hint text not null,
    created_us integer not null,
    expires_us integer,
    last_used_us integer
) strict;
create index access_tokens_by_owner on access_tokens (owner, id);

create table plans (
    id integer primary key not null,
    name text not null unique,
    title text not null,
    description text not null,
    terms text not null,
    created_us integer not null,
    updated_us integer not null,
    etag integer not null
) strict;

create table apis (
    id integer primary key not null,
    name text not null unique,
    context text not null unique,
    description text not null,
    owner integer not null references users (id),
    created_us integer not null
) strict;
create index apis_by_owner on apis (owner);

create table versions (
    id integer primary key not null,
    api integer not null references apis (id) on delete cascade,
    name text not null,
    state text not null,
    is_default integer not null,
    draft text not null,
    draft_etag integer not null,
    deployed integer references revisions (id) deferrable initially deferred,
    created_us integer not null,
    updated_us integer not null,
    unique (api, name)
) strict;
create unique index versions_default on versions (api) where is_default = 1;
create index versions_by_state on versions (state, id);
create index versions_by_deployed on versions (deployed) where deployed is not null;

create table revisions (
    id integer primary key not null,
    version integer not null references versions (id) on delete cascade,
    number integer not null,
    configuration text not null,
    note text not null,
    created_by integer not null,
    created_us integer not null,
    unique (version, number)
) strict;

create table version_plans (
    version integer not null references versions (id) on delete cascade,
    plan integer not null references plans (id),
    position integer not null,
    primary key (version, plan)
) strict, without rowid;
create index version_plans_by_plan on version_plans (plan);

create table lifecycle_history (
    id integer primary key autoincrement not null,
    version integer not null references versions (id) on delete cascade,
    from_state text not null,
    to_state text not null,
    by_user integer not null,
    note text not null,
    at_us integer not null
) strict;
create index lifecycle_history_by_version on lifecycle_history (version, id);

create table documents (
    version integer primary key not null references versions (id) on delete cascade,
    media_type text not null,
    bytes blob not null
) strict;

-- Names of operations for usage; they outlive revisions and versions, as usage does.
create table operations (
    id integer primary key not null,
    version integer not null,
    method text not null,
    path text not null
) strict;
create index operations_by_version on operations (version, id);

-- Names of APIs, versions and applications that were deleted, which usage goes on naming.
create table deleted_names (
    noun text not null,
    id integer not null,
    name text not null,
    primary key (noun, id)
) strict, without rowid;

create table applications (
    id integer primary key not null,
    name text not null,
    owner integer not null references users (id),
    description text not null,
    limits text not null,
    created_us integer not null,
    unique (owner, name)
) strict;

-- Ended ones stay, for their status: who unsubscribes while blocked stays blocked on return.
-- They may outlive their plan, which is why it is not a foreign key.
create table subscriptions (
    id integer primary key not null,
    application integer not null references applications (id) on delete cascade,
    version integer not null references versions (id) on delete cascade,
    plan integer not null,
    status text not null,
    created_us integer not null,
    ended_us integer
) strict;
create unique index subscriptions_live on subscriptions (application, version)
    where ended_us is null;
create index subscriptions_by_application on subscriptions (application, version, id);
create index subscriptions_by_version on subscriptions (version, id);
create index subscriptions_by_plan on subscriptions (plan);

create table api_keys (
    id integer primary key not null,
    application integer not null references applications (id) on delete cascade,
    name text not null,
    environment text not null,
    digest blob not null unique,
    hint text not null,
    not_before_us integer,
    expires_us integer,
    created_by integer not null,
    created_us integer not null,
    revoked_us integer,
    last_used_us integer
) strict;
create index api_keys_by_application on api_keys (application, id);

-- Which noun changed, in the order of the commits; what the feed reads.
create table changes (
    sequence integer primary key autoincrement not null,
    noun text not null,
    id integer not null
) strict;

create table settings (
    name text primary key not null,
    value text not null
) strict, without rowid;
