//! The migrations of `tollgate.db`, in order. A new file in `migrations/sqlite` needs a row here.

use std::sync::LazyLock;

use sqlx::migrate::Migrator;

use super::schema::{self, Script};

pub(super) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| schema::migrator(SCRIPTS));

const SCRIPTS: &[Script] = &[
    (
        1,
        "first",
        include_str!("../../migrations/sqlite/0001_first.sql"),
    ),
    (
        2,
        "soap",
        include_str!("../../migrations/sqlite/0002_soap.sql"),
    ),
    (
        3,
        "last write",
        include_str!("../../migrations/sqlite/0003_last_write.sql"),
    ),
    (
        4,
        "suspended keys",
        include_str!("../../migrations/sqlite/0004_suspended_keys.sql"),
    ),
    (
        5,
        "owners of deleted apis",
        include_str!("../../migrations/sqlite/0005_owners_of_deleted_apis.sql"),
    ),
    (
        6,
        "suspended with owner",
        include_str!("../../migrations/sqlite/0006_suspended_with_owner.sql"),
    ),
    (
        7,
        "sealed secrets",
        include_str!("../../migrations/sqlite/0007_sealed_secrets.sql"),
    ),
    (
        8,
        "credentials",
        include_str!("../../migrations/sqlite/0008_credentials.sql"),
    ),
    (
        9,
        "reasons",
        include_str!("../../migrations/sqlite/0009_reasons.sql"),
    ),
    (
        10,
        "rotated keys",
        include_str!("../../migrations/sqlite/0010_rotated_keys.sql"),
    ),
    (
        11,
        "granted scopes",
        include_str!("../../migrations/sqlite/0011_granted_scopes.sql"),
    ),
    (
        12,
        "assertions",
        include_str!("../../migrations/sqlite/0012_assertions.sql"),
    ),
    (
        13,
        "documents of revisions",
        include_str!("../../migrations/sqlite/0013_documents_of_revisions.sql"),
    ),
    (
        14,
        "cache purges",
        include_str!("../../migrations/sqlite/0014_cache_purges.sql"),
    ),
    (
        15,
        "signs in paths",
        include_str!("../../migrations/sqlite/0015_signs_in_paths.sql"),
    ),
    (
        16,
        "default of retired",
        include_str!("../../migrations/sqlite/0016_default_of_retired.sql"),
    ),
];

#[cfg(test)]
mod tests;
