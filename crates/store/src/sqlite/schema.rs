//! Brings a file's schema up to date, and says what is missing of it then.
//!
//! The pages of a file may agree though a table or a column is gone, because somebody has worked
//! on it with other tools. Its statements would fail one by one, some of them long after the start.
//! `analytics` asks the same of its own file.

use std::collections::BTreeSet;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};

/// Where sqlx keeps which migrations were made.
const MADE: &str = "_sqlx_migrations";

/// A migration: number, description, SQL. Each runs in a transaction.
pub type Script = (i64, &'static str, &'static str);

/// Why a file cannot be brought up to date.
#[derive(Debug)]
pub enum Unfit {
    /// A later release has been here; the number of its migration.
    Newer(i64),
    /// Something that the migrations have made is gone.
    Lacking(String),
    /// The engine refuses a statement.
    Engine(sqlx::Error),
    /// The migrations that were made are not those of this release.
    Other(MigrateError),
}

/// A table's column, or an index as a whole: kind and name, column, what the column holds.
type Part = (String, String, String);

/// Returns what runs these migrations and checks that those of the file are unchanged.
///
/// `sqlx::migrate!` would do the same, but any macro of sqlx compiles sqlx, tokio and SQLite a
/// second time, for the compiler.
#[must_use]
pub fn migrator(scripts: &[Script]) -> Migrator {
    let migration = |&(number, description, sql): &Script| {
        let sql = sql.into_sql_str();
        Migration::new(
            number,
            description.into(),
            MigrationType::Simple,
            sql,
            false,
        )
    };
    Migrator::with_migrations(scripts.iter().map(migration).collect())
}

/// Makes the migrations that were not made yet, and compares what there is with what they make of
/// an empty file. More than that may be there.
///
/// # Errors
/// [`Unfit`].
pub async fn bring_up(
    connection: &mut SqliteConnection,
    migrations: &Migrator,
) -> Result<(), Unfit> {
    let found = parts(connection).await?;
    let made = format!("table {MADE}");
    if !found.is_empty() && !found.iter().any(|(object, ..)| *object == made) {
        return Err(Unfit::Lacking(format!("the {made} is missing")));
    }
    migrations.run(&mut *connection).await?;
    let found = parts(connection).await?;
    let expected = expected(migrations).await?;
    match expected.difference(&found).next() {
        Some(part) => Err(Unfit::Lacking(told(part, &found))),
        None => Ok(()),
    }
}

/// What the migrations make of an empty file.
async fn expected(migrations: &Migrator) -> Result<BTreeSet<Part>, Unfit> {
    let options = SqliteConnectOptions::new().in_memory(true);
    let mut connection = options.disable_statement_logging().connect().await?;
    migrations.run(&mut connection).await?;
    let parts = parts(&mut connection).await?;
    connection.close().await?;
    Ok(parts)
}

async fn parts(connection: &mut SqliteConnection) -> sqlx::Result<BTreeSet<Part>> {
    const SQL: &str = "select part.type || ' ' || part.name, coalesce(its.name, ''), \
         coalesce(its.type || ' ' || its.\"notnull\" || ' ' || its.pk, '') \
         from sqlite_schema part left join pragma_table_info(part.name) its \
         where part.name not like 'sqlite~_%' escape '~'";
    let parts: Vec<Part> = sqlx::query_as(SQL).fetch_all(connection).await?;
    Ok(parts.into_iter().collect())
}

fn told((object, column, _): &Part, found: &BTreeSet<Part>) -> String {
    if found.iter().any(|(other, ..)| other == object) {
        format!("the {object} lacks its column {column}")
    } else {
        format!("the {object} is missing")
    }
}

impl From<sqlx::Error> for Unfit {
    fn from(error: sqlx::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<MigrateError> for Unfit {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(found) => Self::Newer(found),
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
                Self::Engine(error)
            }
            error => Self::Other(error),
        }
    }
}
