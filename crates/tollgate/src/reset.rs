//! `tollgate admin reset`: a new one-time password for someone who is locked out, offline.
//!
//! Whoever may write the data directory may do this; a running process keeps the data locked.

use std::io::{self, Write as _};

use anyhow::{Context as _, bail, ensure};
use tollgate_control::seed::{self, FirstPassword};
use tollgate_control::{Clock, random};
use tollgate_store::{Store, access_tokens, sessions, users};
use tollgate_tokens::password;

use crate::data::{self, DataDirectory, STORE};
use crate::process;
use crate::settings::Settings;

/// Opens the data that no process uses and tells the new password on standard output.
///
/// # Errors
/// There is no data, or a process runs on it; there is no such user; the store fails.
pub fn carry_out(settings: &Settings, name: Option<&str>) -> anyhow::Result<()> {
    let path = &settings.process.data;
    // Asked first: the lock makes a directory where there is none.
    ensure!(
        path.join(STORE).exists(),
        "there is no data in {}",
        path.display()
    );
    let data = DataDirectory::lock(path)?;
    let one_time = process::slow_runtime(1)?.block_on(async {
        let store = data::open_store(settings, &data.store()).await?;
        if let Some(lost) = store.lost() {
            writeln!(io::stderr(), "{lost}")?;
        }
        let one_time = reset(&store, name).await;
        store.close().await;
        one_time
    })?;
    let FirstPassword { name, password } = one_time;
    writeln!(io::stdout(), "user {name}, one-time password {password}")?;
    Ok(())
}

/// Gives a user (the first administrator, when none is named) a new one-time password and ends
/// the user's sessions and access tokens.
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
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever holds the data folder may reset"
    )]
    let mut tx = store.write().await?;
    users::reset_password(&mut tx, user.id, &hash).await?;
    sessions::delete_of_user(&mut tx, user.id, None).await?;
    access_tokens::delete_of_user(&mut tx, user.id).await?;
    tx.commit().await?;
    Ok(one_time)
}

#[cfg(test)]
mod tests;
