//! The credentials of all applications of a user, which are suspended with their owner and resumed
//! together.
//!
//! While the owner is suspended, new credentials are suspended too. The mark of a suspended owner
//! is a row in `settings`: it outlives the credentials, and a user may have none yet.

use tollgate_model::id::{ApplicationId, UserId};

use super::table::suspended_owner_of;
use super::{TABLES, count};
use crate::{Noun, Store, StoreError, Tx};

const MARK: &str = "insert into settings (name, value) values ('suspended_owner.' || $1, '1') \
    on conflict (name) do nothing";

/// Counts the credentials of a user's applications that are valid at `now_us`, or will be.
///
/// # Errors
/// Fails if the database read fails.
pub async fn live_of_user(tx: &mut Tx, user: UserId, now_us: i64) -> Result<u64, StoreError> {
    let mut live = 0;
    for table in TABLES {
        live += count(tx, table.live_of_user, &[user.into(), now_us.into()]).await?;
    }
    Ok(live)
}

/// Suspends the credentials of a user's applications that are valid at `at_us`, or will be, and
/// those created until [`resume_of_user`]. Returns how many there were. Tokens issued to the
/// applications until then are no longer valid.
///
/// # Errors
/// Fails if the database write fails.
pub async fn suspend_of_user(tx: &mut Tx, user: UserId, at_us: i64) -> Result<u64, StoreError> {
    const NOTE: &str = "insert into changes (noun, id) \
        select $2, id from applications where owner = $1";
    const VOID: &str = "update applications set tokens_from_us = $2 \
        where owner = $1 and tokens_from_us < $2";
    tx.execute(MARK, &[user.into()]).await?;
    let values = [user.into(), Noun::APPLICATION.into()];
    tx.execute(NOTE, &values).await?;
    let values = [user.into(), (at_us + 1).into()];
    tx.execute(VOID, &values).await?;
    let mut suspended = 0;
    for table in TABLES {
        let values = [user.into(), at_us.into(), table.noun.into()];
        tx.execute(table.note_live_of_user, &values).await?;
        suspended += tx.execute(table.suspend_of_user, &values[..2]).await?;
    }
    Ok(suspended)
}

/// Resumes the credentials of a user's applications that were suspended with their owner and that
/// were not revoked since. Returns how many there were.
///
/// # Errors
/// Fails if the database write fails.
pub async fn resume_of_user(tx: &mut Tx, user: UserId) -> Result<u64, StoreError> {
    forget_owner(tx, user).await?;
    let mut resumed = 0;
    for table in TABLES {
        let values = [user.into(), table.noun.into()];
        tx.execute(table.note_suspended_of_user, &values).await?;
        resumed += tx.execute(table.resume_of_user, &values[..1]).await?;
    }
    Ok(resumed)
}

/// Returns whether the owner of an application is suspended, and with it any new credential.
///
/// # Errors
/// Fails if the database read fails.
pub async fn is_owner_suspended(
    store: &Store,
    application: ApplicationId,
) -> Result<bool, StoreError> {
    const SQL: &str = concat!("select 1", suspended_owner_of!("$1"));
    Ok(store.row(SQL, &[application.into()]).await?.is_some())
}

/// Marks disabled users as suspended whose credentials an earlier release suspended with them.
/// Writes nothing if there are none without the mark.
///
/// # Errors
/// Fails if the database write fails.
pub async fn mark_suspended_owners(store: &Store) -> Result<(), StoreError> {
    const UNMARKED: &str = "select u.id from users u where u.disabled = 1 \
        and not exists (select 1 from settings s where s.name = 'suspended_owner.' || u.id) \
        and exists (select 1 from applications t \
            join (select application from api_keys \
                    where suspended_with_owner = 1 and revoked_us is null \
                union all select application from clients \
                    where suspended_with_owner = 1 and revoked_us is null \
                union all select application from basic_users \
                    where suspended_with_owner = 1 and revoked_us is null) c \
                on c.application = t.id \
            where t.owner = u.id)";
    let unmarked: Vec<UserId> = store.list(UNMARKED, &[], |row| row.id("id")).await?;
    if unmarked.is_empty() {
        return Ok(());
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "an upgrade comes before anybody calls"
    )]
    let mut tx = store.write().await?;
    for user in unmarked {
        tx.execute(MARK, &[user.into()]).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Removes the mark of a suspended owner, if any.
pub(crate) async fn forget_owner(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    const SQL: &str = "delete from settings where name = 'suspended_owner.' || $1";
    tx.execute(SQL, &[user.into()]).await?;
    Ok(())
}
