//! Migrates a file's schema, and reports what is missing of it afterwards.
//!
//! The pages of a file may be consistent although a table or a column is missing, because somebody
//! has changed the file with other tools. Statements would fail one by one, some of them long after
//! the start. `analytics` checks its own file in the same way.

use std::collections::BTreeSet;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};

/// The table in which sqlx records applied migrations.
const MADE: &str = "_sqlx_migrations";

/// A migration: number, description, SQL. Each runs in a transaction.
pub type Script = (i64, &'static str, &'static str);

/// Why a schema cannot be brought up to date.
#[derive(Debug)]
pub enum Unfit {
    /// The file was migrated by a later release; the number of its migration.
    Newer(i64),
    /// Something that the migrations have created is missing.
    Lacking(String),
    /// The engine rejected a statement.
    Engine(sqlx::Error),
    /// The applied migrations are not those of this release.
    Other(MigrateError),
}

/// A table's column, or a whole index: kind and name, column, type and constraints of the column.
type Part = (String, String, String);

/// Returns a migrator that runs these migrations and checks that those of the file are unchanged.
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

/// Runs pending migrations, and compares the schema with what they create in an empty file. The
/// file may contain more than that.
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
        Some((object, column, _)) => Err(Unfit::Lacking(missing(object, column, &found))),
        None => Ok(()),
    }
}

/// Returns the schema that the migrations create in an empty file.
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

fn missing(object: &str, column: &str, found: &BTreeSet<Part>) -> String {
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
