//! Copies an API many times, to measure long lists:
//! `many_apis DATA_DIR/tollgate.db Orders 10000`.
//!
//! The copies of `Orders` are named `Orders 1` and so on, and are served like it, with all
//! versions, plans and revisions. Stop the program that has the file open first.

use std::env;
use std::error::Error;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

/// An id's lowest 22 bits are random: the copies use the ids that follow.
const COPIES_MAX: i64 = 1 << 20;

/// Each takes the API's name as `$1` and the number of copies as `$2`.
const STATEMENTS: [&str; 4] = [
    "with recursive copy (n) as (select 1 union all select n + 1 from copy where n < $2) \
     insert into apis (id, name, context, description, owner, created_us, kind) \
     select id + n, name || ' ' || n, context || '-' || n, description, owner, created_us + n, \
     kind from apis, copy where name = $1",
    "with recursive copy (n) as (select 1 union all select n + 1 from copy where n < $2) \
     insert into versions (id, api, name, state, is_default, draft, draft_etag, deployed, \
     created_us, updated_us) \
     select v.id + n, api + n, v.name, state, is_default, draft, draft_etag, deployed + n, \
     v.created_us + n, updated_us from versions v join apis a on a.id = api, copy \
     where a.name = $1",
    "with recursive copy (n) as (select 1 union all select n + 1 from copy where n < $2) \
     insert into revisions (id, version, number, configuration, note, created_by, created_us) \
     select r.id + n, version + n, number, configuration, note, created_by, r.created_us \
     from revisions r join versions v on v.id = version join apis a on a.id = api, copy \
     where a.name = $1",
    "with recursive copy (n) as (select 1 union all select n + 1 from copy where n < $2) \
     insert into version_plans (version, plan, position) \
     select version + n, plan, position from version_plans join versions v on v.id = version \
     join apis a on a.id = api, copy where a.name = $1",
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [path, name, copies] = words.as_slice() else {
        return Err("usage: many_apis TOLLGATE_DB API COPIES".into());
    };
    let copies: i64 = copies.parse()?;
    if copies > COPIES_MAX {
        return Err(format!("{COPIES_MAX} copies at most").into());
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true);
    let mut connection = options.connect().await?;
    let mut transaction = connection.begin().await?;
    for statement in STATEMENTS {
        sqlx::query(statement)
            .bind(name)
            .bind(copies)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}
