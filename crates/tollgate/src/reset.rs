//! `tollgate admin reset`: sets a new one-time password for a locked-out user, offline.
//!
//! Anyone with write access to the data directory may run it, while no process holds its lock.

use std::io::{self, Write as _};

use anyhow::{Context as _, bail, ensure};
use tollgate_control::seed::{self, FirstPassword};
use tollgate_control::{Clock, random};
use tollgate_store::{Store, access_tokens, sessions, users};
use tollgate_tokens::password;

use crate::data::{self, DataDirectory, STORE};
use crate::process;
use crate::settings::Settings;

/// Sets a new one-time password in the data directory and prints it on standard output.
///
/// # Errors
/// Fails if there is no data, another process uses it, the user does not exist or the store fails.
pub fn carry_out(settings: &Settings, name: Option<&str>) -> anyhow::Result<()> {
    let path = &settings.process.data;
    data::require_no_file(path)?;
    // Checked first: locking would create a missing directory.
    ensure!(
        path.join(STORE).exists(),
        "no data found in {}",
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

/// Sets a new one-time password for a user (the first administrator if `None`) and ends the user's
/// sessions and access tokens.
///
/// # Errors
/// Fails if the user does not exist or a database read or write fails.
pub async fn reset(store: &Store, name: Option<&str>) -> anyhow::Result<FirstPassword> {
    let name = name.unwrap_or(seed::ADMINISTRATOR);
    if name == seed::ADMINISTRATOR {
        return Ok(seed::reset_administrator(store, Clock::System.now_us()).await?);
    }
    let Some(user) = users::by_name(store, name).await? else {
        bail!("user {name:?} not found");
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
        reason = "an offline command: access to the data directory is enough"
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
