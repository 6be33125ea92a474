//! `tollgate admin reset`: a new one-time password for someone who is locked out, offline.
//!
//! Whoever may write the data directory may do this; a running process keeps the data locked.

use std::io::{self, Write as _};

use anyhow::{Context as _, bail};
use tollgate_control::seed::{self, FirstPassword};
use tollgate_control::{Clock, random};
use tollgate_store::{Store, sessions, users};
use tollgate_tokens::password;

use crate::data::DataDirectory;
use crate::settings::Settings;
use crate::process;

/// Opens the data that no process uses and tells the new password on standard output.
///
/// # Errors
/// A process runs on the data; there is no such user; the store fails.
pub fn carry_out(settings: &Settings, name: Option<&str>) -> anyhow::Result<()> {
    let data = DataDirectory::lock(&settings.process.data)?;
    let one_time = process::slow_runtime(1)?.block_on(async {
        let store = Store::open(&data.store()).await?;
        let one_time = reset(&store, name).await;
        store.close().await;
        one_time
    })?;
    let FirstPassword { name, password } = one_time;
    writeln!(io::stdout(), "user {name}, one-time password {password}")?;
    Ok(())
}

/// Gives a user (the first administrator, when none is named) a new one-time password and ends
/// the user's sessions.
///
/// # Errors
/// There is no such user; the store cannot be written.
pub async fn reset(store: &Store, name: Option<&str>) -> anyhow::Result<FirstPassword> {
    let name = name.unwrap_or(seed::ADMINISTRATOR);
    if name == seed::ADMINISTRATOR {
        return Ok(seed::reset_administrator(store, Clock::System.now_us()).await?);
    }
    let Some(user) = users::by_name(store, name).await? else {
        bail!("there is no user {name:?}");
    };
    let one_time = FirstPassword {
        name: user.name,
        password: password::one_time(random::bytes()?),
    };
    let (text, salt) = (one_time.password.clone(), random::bytes()?);
    let hash = tokio::task::spawn_blocking(move || password::hash(&text, salt));
    let hash = hash.await.context("hashing the password")?;
    let mut tx = store.write().await?;
    users::change_password(&mut tx, user.id, &hash, true).await?;
    sessions::delete_of_user(&mut tx, user.id, None).await?;
    tx.commit().await?;
    Ok(one_time)
}
