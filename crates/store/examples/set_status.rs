//! Sets the status of a subscription, for pages and calls that need one that no request leads to:
//! `set_status DATA_DIR/tollgate.db sub_… rejected`.
//!
//! Earlier releases could reject a subscription that had begun as an active one. Stop the program
//! that has the file open first.

use std::env;
use std::error::Error;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tollgate_model::id::SubscriptionId;
use tollgate_model::subscription::Status;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [path, subscription, status] = words.as_slice() else {
        return Err("usage: set_status TOLLGATE_DB SUBSCRIPTION STATUS".into());
    };
    let subscription: SubscriptionId = subscription.parse()?;
    let status = Status::from_word(status).ok_or("there is no such status")?;
    let mut connection = SqliteConnectOptions::new().filename(path).connect().await?;
    let change = "update subscriptions set status = $1 where id = $2 and ended_us is null";
    let changed = sqlx::query(change)
        .bind(status.word())
        .bind(subscription.raw())
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    match changed.rows_affected() {
        1 => Ok(()),
        _ => Err("there is no such subscription".into()),
    }
}
