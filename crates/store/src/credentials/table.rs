//! The statements that are the same for every kind of credential, but for the name of its table.

use crate::Noun;

/// The statements of one kind of credential.
pub(crate) struct Table {
    /// Its word in `changes`.
    pub(crate) noun: &'static str,
    /// What one is called in errors.
    pub(crate) called: &'static str,
    /// `$1` the id; name, beginning, end, from where.
    pub(super) update: &'static str,
    /// `$1` the id, `$2` when.
    pub(super) revoke: &'static str,
    pub(super) suspend: &'static str,
    /// `$1` the id.
    pub(super) resume: &'static str,
    /// `$1` the id, `$2` when.
    pub(super) follow_owner: &'static str,
    /// `$1` the application, `$2` now.
    pub(super) live: &'static str,
    /// `$1` the user, `$2` now.
    pub(super) live_of_user: &'static str,
    pub(super) suspend_of_user: &'static str,
    /// The same, and `$3` the noun.
    pub(super) note_live_of_user: &'static str,
    /// `$1` the user.
    pub(super) resume_of_user: &'static str,
    /// The same, and `$2` the noun.
    pub(super) note_suspended_of_user: &'static str,
    /// `$1` the application, `$2` the noun.
    pub(super) note_of_application: &'static str,
    /// `$1` the id, `$2` when.
    pub(super) used: &'static str,
    /// `$1` the application, `$2` now.
    pub(super) tried: &'static str,
    /// `$1` now, `$2` how many at most.
    pub(super) sweep_tried: &'static str,
}

/// The rows that mark the owner of an application as suspended.
macro_rules! suspended_owner_of {
    ($application:expr) => {
        concat!(
            " from applications t join settings s on s.name = 'suspended_owner.' || t.owner \
             where t.id = ",
            $application
        )
    };
}
pub(super) use suspended_owner_of;

macro_rules! of_user {
    () => {
        " where application in (select id from applications where owner = $1) \
         and revoked_us is null"
    };
}

/// Whether one has not ended at `$2`; a key that was rotated ends with its grace.
macro_rules! not_ended {
    ("api_keys") => {
        " and (expires_us is null or expires_us > $2) \
         and (grace_until_us is null or grace_until_us > $2)"
    };
    ($table:literal) => {
        " and (expires_us is null or expires_us > $2)"
    };
}

macro_rules! working {
    ($table:tt) => {
        concat!(" and suspended_us is null", not_ended!($table))
    };
}

macro_rules! table {
    ($table:tt, $noun:expr, $called:literal) => {
        Table {
            noun: $noun,
            called: $called,
            update: concat!(
                "update ",
                $table,
                " set name = $2, not_before_us = $3, expires_us = $4, allowed = $5 where id = $1"
            ),
            revoke: concat!(
                "update ",
                $table,
                " set revoked_us = coalesce(revoked_us, $2) where id = $1"
            ),
            suspend: concat!(
                "update ",
                $table,
                " set suspended_us = coalesce(suspended_us, $2), suspended_with_owner = 0 \
                 where id = $1"
            ),
            resume: concat!(
                "update ",
                $table,
                " set suspended_us = null, suspended_with_owner = 0 where id = $1"
            ),
            follow_owner: concat!(
                "update ",
                $table,
                " set suspended_us = $2, suspended_with_owner = 1 \
                 where id = $1 and suspended_us is null and exists (select 1",
                suspended_owner_of!(concat!($table, ".application")),
                ")"
            ),
            live: concat!(
                "select count(*) as live from ",
                $table,
                " where application = $1 and try_it = 0 and revoked_us is null",
                not_ended!($table)
            ),
            live_of_user: concat!(
                "select count(*) as live from ",
                $table,
                of_user!(),
                working!($table)
            ),
            suspend_of_user: concat!(
                "update ",
                $table,
                " set suspended_us = $2, suspended_with_owner = 1",
                of_user!(),
                working!($table)
            ),
            note_live_of_user: concat!(
                "insert into changes (noun, id) select $3, id from ",
                $table,
                of_user!(),
                working!($table)
            ),
            resume_of_user: concat!(
                "update ",
                $table,
                " set suspended_us = null, suspended_with_owner = 0",
                of_user!(),
                " and suspended_with_owner = 1"
            ),
            note_suspended_of_user: concat!(
                "insert into changes (noun, id) select $2, id from ",
                $table,
                of_user!(),
                " and suspended_with_owner = 1"
            ),
            note_of_application: concat!(
                "insert into changes (noun, id) select $2, id from ",
                $table,
                " where application = $1 and revoked_us is null"
            ),
            used: concat!("update ", $table, " set last_used_us = $2 where id = $1"),
            tried: concat!(
                "select count(*) as live from ",
                $table,
                " where application = $1 and try_it = 1 and expires_us > $2"
            ),
            sweep_tried: concat!(
                "delete from ",
                $table,
                " where id in (select id from ",
                $table,
                " where try_it = 1 and expires_us <= $1 limit $2)"
            ),
        }
    };
}

pub(crate) static API_KEYS: Table = table!("api_keys", Noun::API_KEY, "key");
pub(crate) static CLIENTS: Table = table!("clients", Noun::CLIENT, "client");
pub(crate) static BASIC_USERS: Table = table!("basic_users", Noun::BASIC_USER, "Basic user");
