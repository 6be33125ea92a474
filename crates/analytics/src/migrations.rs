//! The migrations of `usage.db`, in order. A new file in `migrations` needs a row here.

use std::sync::LazyLock;

use sqlx::migrate::Migrator;
use tollgate_store::schema::{self, Script};

pub(crate) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| schema::migrator(SCRIPTS));

const SCRIPTS: &[Script] = &[
    (1, "usage", include_str!("../migrations/0001_usage.sql")),
    (
        2,
        "mismatched",
        include_str!("../migrations/0002_mismatched.sql"),
    ),
    (3, "era", include_str!("../migrations/0003_era.sql")),
    (4, "journal", include_str!("../migrations/0004_journal.sql")),
    (
        5,
        "mediation",
        include_str!("../migrations/0005_mediation.sql"),
    ),
    (6, "cache", include_str!("../migrations/0006_cache.sql")),
    (
        7,
        "numbered windows",
        include_str!("../migrations/0007_numbered_windows.sql"),
    ),
    (8, "over", include_str!("../migrations/0008_over.sql")),
    (9, "cubes", include_str!("../migrations/0009_cubes.sql")),
];

#[cfg(test)]
mod tests;
