//! Users of HTTP Basic (RFC 7617) of applications, stored with the digest of name and password.

use tollgate_model::id::{self, BasicUserId, Id};

use crate::credentials::table::BASIC_USERS;
use crate::credentials::{self, CredentialKind, NewSecret, Secret, Stored, Terms, terms};
use crate::part::statements;
use crate::row::Row;
use crate::{Noun, StoreError, Tx};

/// One user of HTTP Basic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicUser {
    /// The user's id.
    pub id: BasicUserId,
    /// The terms that all credentials have.
    pub terms: Terms,
    /// Its whole name in calls, which is never used for another user, ignoring case.
    pub user_name: String,
    /// Digests of name, colon and password; the hint is from the password.
    pub secret: Secret,
}

/// Creates a user. It is suspended if its owner is. No name is used twice, even after the user was
/// revoked or its application deleted, so that logs never confuse two users. Names of users for
/// try-it are not kept: they contain the user's id.
///
/// # Errors
/// Fails with [`StoreError::Taken`] on `/user_name`, and with [`StoreError::NotFound`] if there is
/// no such application.
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
    credentials::created::<id::BasicUser>(tx, user).await
}

/// Replaces the password of a user. The password before the present one is dropped.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such user.
pub async fn rotate(tx: &mut Tx, id: BasicUserId, secret: &NewSecret) -> Result<(), StoreError> {
    const SQL: &str = "update basic_users set \
            previous_digest = case when $4 is null then null else digest end, \
            previous_until_us = $4, digest = $2, hint = $3 \
        where id = $1";
    credentials::rotate(tx, SQL, id, secret).await?;
    tx.note(Noun::BasicUser(id)).await
}

macro_rules! columns {
    () => {
        concat!(
            "id, ",
            terms!(),
            ", user_name, digest, hint, previous_digest, previous_until_us"
        )
    };
}

impl CredentialKind for id::BasicUser {
    type Credential = BasicUser;

    const STORED: Stored<Self> = Stored {
        table: &BASIC_USERS,
        by_id: concat!("select ", columns!(), " from basic_users where id = $1"),
        find: statements!(
            select columns!(),
            from "basic_users where application = $1 and try_it = 0 \
                and ($2 is null or name || ' ' || user_name like $2 escape '\\')",
            id "id" name "name", after "$3" at_most "$4" key "$5"
        ),
        noun: Noun::BasicUser,
        read,
    };

    fn id(user: &BasicUser) -> Id<Self> {
        user.id
    }

    fn terms(user: &BasicUser) -> &Terms {
        &user.terms
    }
}

fn read(row: &Row) -> Result<BasicUser, StoreError> {
    Ok(BasicUser {
        id: row.id("id")?,
        terms: Terms::read(row)?,
        user_name: row.text("user_name")?,
        secret: Secret::read(row)?,
    })
}
