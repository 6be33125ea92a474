//! Users of HTTP Basic (RFC 7617) of applications, kept by the digest of name and password.

use tollgate_model::id::{self, ApplicationId, BasicUserId};

use crate::credentials::table::BASIC_USERS;
use crate::credentials::{self, NewSecret, Secret, Terms, TermsChange, terms};
use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::{Noun, Store, StoreError, Tx};

/// One user of HTTP Basic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicUser {
    /// The user.
    pub id: BasicUserId,
    /// What it has in common with other credentials.
    pub terms: Terms,
    /// Its whole name in calls; in any case of its letters nobody else's, now or later.
    pub user_name: String,
    /// Digests of the name, a colon and the password; the hint is the password's.
    pub secret: Secret,
}

/// Writes a new user; it is suspended if its owner is. No name is used twice, also after a user was
/// revoked or its application was deleted: who kept the name and a password would be taken for
/// somebody else in logs. That of a user that was made to try an API is not kept: it holds the
/// user's id.
///
/// # Errors
/// [`StoreError::Taken`] with `/user_name`; [`StoreError::NotFound`] without such an application.
pub async fn create(tx: &mut Tx, user: &BasicUser) -> Result<(), StoreError> {
    const NAME: &str = "insert into basic_user_names (name) values ($1)";
    const SQL: &str = concat!(
        "insert into basic_users (id, ",
        terms!(),
        ", user_name, digest, hint, previous_digest, previous_until_us) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
    );
    let row = user.terms.row();
    let [previous, previous_until_us] = Secret::previous_values(Some(&user.secret));
    let own = [
        (&user.user_name).into(),
        (&user.secret.digest).into(),
        (&user.secret.hint).into(),
        previous,
        previous_until_us,
    ];
    let values = [&[user.id.into()], &row.values()[..], &own].concat();
    if !user.terms.try_it {
        tx.execute(NAME, &own[..1]).await?;
    }
    tx.execute(SQL, &values).await?;
    BASIC_USERS
        .follow_owner(tx, user.id, user.terms.created_us)
        .await?;
    tx.note(Noun::BasicUser(user.id)).await
}

/// The user with this id, revoked or not.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: BasicUserId) -> Result<BasicUser, StoreError> {
    const SQL: &str = concat!(
        "select id, ",
        terms!(),
        ", user_name, digest, hint, previous_digest, previous_until_us \
         from basic_users where id = $1"
    );
    let row = store.row(SQL, &[id.into()]).await?;
    read(&row.ok_or(StoreError::NotFound(BASIC_USERS.called))?)
}

/// An application's users that were not made to try an API: all, or those with this
/// [`pattern`](crate::part::pattern) in the name.
///
/// # Errors
/// As any read.
pub async fn find(
    store: &Store,
    (application, pattern): (ApplicationId, Option<&str>),
    part: &Part<id::BasicUser>,
) -> Result<Found<BasicUser>, StoreError> {
    const SQL: Statements = statements!(
        select concat!("id, ", terms!(), ", user_name, digest, hint, previous_digest, \
            previous_until_us"),
        from "basic_users where application = $1 and try_it = 0 \
            and ($2 is null or name || ' ' || user_name like $2 escape '\\')",
        id "id" name "name", after "$3" at_most "$4" key "$5"
    );
    let filter = [application.into(), pattern.into()];
    store.find(&SQL, part, &filter, read).await
}

/// How many of an application's users work, will, or may be resumed; see `api_keys::live`.
///
/// # Errors
/// As any read.
pub async fn live(tx: &mut Tx, application: ApplicationId, now_us: i64) -> Result<u64, StoreError> {
    BASIC_USERS.live(tx, application, now_us).await
}

/// Writes what the owner of a user may change.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn update(tx: &mut Tx, id: BasicUserId, change: &TermsChange) -> Result<(), StoreError> {
    credentials::update(tx, &BASIC_USERS, id, change).await?;
    tx.note(Noun::BasicUser(id)).await
}

/// Gives a user a new password. Of a rotation before this one nothing stays.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn rotate(tx: &mut Tx, id: BasicUserId, secret: &NewSecret) -> Result<(), StoreError> {
    const SQL: &str = "update basic_users set \
            previous_digest = case when $4 is null then null else digest end, \
            previous_until_us = $4, digest = $2, hint = $3 \
        where id = $1";
    credentials::rotate(tx, (SQL, BASIC_USERS.called), id, secret).await?;
    tx.note(Noun::BasicUser(id)).await
}

/// Revokes a user; one that was revoked before keeps that time.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn revoke(tx: &mut Tx, id: BasicUserId, at_us: i64) -> Result<(), StoreError> {
    BASIC_USERS.revoke(tx, id, at_us).await?;
    tx.note(Noun::BasicUser(id)).await
}

/// Suspends a user, or resumes it with `None`; one that is suspended keeps its time.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn suspend(tx: &mut Tx, id: BasicUserId, at_us: Option<i64>) -> Result<(), StoreError> {
    BASIC_USERS.suspend(tx, id, at_us).await?;
    tx.note(Noun::BasicUser(id)).await
}

fn read(row: &Row) -> Result<BasicUser, StoreError> {
    Ok(BasicUser {
        id: row.id("id")?,
        terms: Terms::read(row)?,
        user_name: row.text("user_name")?,
        secret: Secret::read(row)?,
    })
}
