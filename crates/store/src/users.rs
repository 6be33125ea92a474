//! Users of the control plane.
//!
//! [`User`] does not contain the password's hash; only [`with_password`] returns it. Neighbours:
//! `sessions.rs` and `access_tokens.rs` find a [`User`] by the digest of a secret.

use std::collections::HashMap;

use tollgate_model::id::{self, UserId};
use tollgate_model::name::{folded, normalized};
use tollgate_model::user::Role;

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{Value, ids_json};
use crate::{Store, StoreError, Tx, credentials};

/// A user without the password's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// Unique; the user signs in with it.
    pub name: String,
    /// Whether the user must change the password first.
    pub one_time: bool,
    /// The user's roles.
    pub roles: Vec<Role>,
    /// Whether the user is locked out.
    pub disabled: bool,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
}

/// The fields that [`update`] writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserChange {
    /// The new roles.
    pub roles: Vec<Role>,
    /// Whether the user is locked out; sessions and tokens stop working at once.
    pub disabled: bool,
}

/// Writes a new user with the PHC string of a password. No two names may differ only in case,
/// compatibility form or invisible characters ([`folded`]); existing names that do are kept.
///
/// # Errors
/// [`StoreError::Taken`] with `/name`.
pub async fn create(tx: &mut Tx, user: &User, password: &str) -> Result<(), StoreError> {
    const NAMES: &str = "select name from users";
    const SQL: &str = "insert into users \
        (id, name, password, one_time, roles, disabled, created_us) \
        values ($1, $2, $3, $4, $5, $6, $7)";
    let folded_name = folded(&user.name);
    for row in tx.rows(NAMES, &[]).await? {
        let name = row.text("name")?;
        if folded(&name) == folded_name {
            return Err(StoreError::Taken {
                field: "/name",
                what: format!("another user is named {name}"),
            });
        }
    }
    let roles = words(&user.roles);
    let values = [
        user.id.into(),
        (&user.name).into(),
        password.into(),
        user.one_time.into(),
        (&roles).into(),
        user.disabled.into(),
        user.created_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(())
}

/// Returns the user with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: UserId) -> Result<User, StoreError> {
    const SQL: &str = "select id, name, one_time, roles, disabled, created_us \
        from users where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_user(&row.ok_or(StoreError::NotFound("user"))?)
}

/// Returns the user with this name, found as by [`with_password`].
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_name(store: &Store, name: &str) -> Result<Option<User>, StoreError> {
    Ok(with_password(store, name).await?.map(|(user, _)| user))
}

/// Returns the user with this name or, if there is none, the oldest with a name that [`create`]
/// considers equal.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_folded_name(store: &Store, name: &str) -> Result<Option<User>, StoreError> {
    const SQL: &str = "select id, name, one_time, roles, disabled, created_us \
        from users order by id";
    let folded_name = folded(name);
    let users = store.list(SQL, &[], read_user).await?;
    let alike = users
        .into_iter()
        .filter(|user| folded(&user.name) == folded_name);
    // `min_by_key` returns the first of equals.
    Ok(alike.min_by_key(|user| user.name != name))
}

/// Returns the user with this name, or else with the [`normalized`] name, and the PHC string of the
/// password. The name as typed comes first, because earlier releases stored names that are not
/// normalized.
///
/// # Errors
/// Fails if the database read fails.
pub async fn with_password(
    store: &Store,
    name: &str,
) -> Result<Option<(User, String)>, StoreError> {
    let exact = with_exact_name(store, name).await?;
    let normal = normalized(name);
    if exact.is_some() || normal == name {
        return Ok(exact);
    }
    with_exact_name(store, &normal).await
}

async fn with_exact_name(store: &Store, name: &str) -> Result<Option<(User, String)>, StoreError> {
    const SQL: &str = "select id, name, one_time, roles, disabled, created_us, password \
        from users where name = $1";
    let row = store.row(SQL, &[name.into()]).await?;
    row.map(|row| Ok((read_user(&row)?, row.text("password")?)))
        .transpose()
}

/// Filters of [`find`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Only users with this role.
    pub role: Option<Role>,
    /// Only users that are locked out, or only those that are not.
    pub disabled: Option<bool>,
    /// Only users with a name that matches this [`pattern`](crate::part::pattern).
    pub pattern: Option<&'w str>,
}

/// Returns the users that match the filters.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<id::User>,
) -> Result<Found<User>, StoreError> {
    // Roles are stored as words separated by commas.
    const SQL: Statements = statements!(
        select "id, name, one_time, roles, disabled, created_us",
        from "users where ($1 is null or ',' || roles || ',' like '%,' || $1 || ',%') \
            and ($2 is null or disabled = $2) and ($3 is null or name like $3 escape '\\')",
        id "id" name "name", after "$4" at_most "$5" key "$6"
    );
    let filter = [
        Value::Text(wanted.role.map(Role::word)),
        Value::Int(wanted.disabled.map(i64::from)),
        wanted.pattern.into(),
    ];
    store.find(&SQL, part, &filter, read_user).await
}

/// Returns the names of these users.
///
/// # Errors
/// Fails if the database read fails.
pub async fn names(store: &Store, ids: &[UserId]) -> Result<HashMap<UserId, String>, StoreError> {
    const SQL: &str = "select id, name from users where id in (select value from json_each($1))";
    let read = |row: &Row| Ok((row.id("id")?, row.text("name")?));
    let names = store.list(SQL, &[(&ids_json(ids)).into()], read).await?;
    Ok(names.into_iter().collect())
}

/// Writes roles and whether the user is disabled.
///
/// # Errors
/// [`StoreError::NotFound`]; [`StoreError::LastAdministrator`].
pub async fn update(tx: &mut Tx, id: UserId, change: &UserChange) -> Result<(), StoreError> {
    const SQL: &str = "update users set roles = $2, disabled = $3 where id = $1";
    if !change.roles.contains(&Role::Administrator) || change.disabled {
        keep_administrator(tx, id).await?;
    }
    let roles = words(&change.roles);
    let values = [id.into(), (&roles).into(), change.disabled.into()];
    tx.execute_one(SQL, &values, "user").await
}

/// Writes the PHC string of a new password. The caller ends the user's sessions and tokens in the
/// same transaction.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn reset_password(tx: &mut Tx, id: UserId, password: &str) -> Result<(), StoreError> {
    const SQL: &str = "update users set password = $2, one_time = $3 where id = $1";
    let values = [id.into(), password.into(), true.into()];
    tx.execute_one(SQL, &values, "user").await
}

/// Writes the PHC string of a password that the user chose to replace `present`, unless another
/// change came first; returns whether it was written.
///
/// # Errors
/// Fails if the database write fails.
pub async fn change_password(
    tx: &mut Tx,
    id: UserId,
    present: &str,
    password: &str,
) -> Result<bool, StoreError> {
    const SQL: &str = "update users set password = $3, one_time = $4 \
        where id = $1 and password = $2";
    let values = [id.into(), present.into(), password.into(), false.into()];
    Ok(tx.execute(SQL, &values).await? > 0)
}

/// Deletes a user, with sessions and access tokens.
///
/// # Errors
/// [`StoreError::NotFound`]; [`StoreError::Used`] while APIs or applications are owned;
/// [`StoreError::LastAdministrator`].
pub async fn delete(tx: &mut Tx, id: UserId) -> Result<(), StoreError> {
    const OWNED: &str = "select id from apis where owner = $1 \
        union all select id from applications where owner = $1 limit 1";
    const SQL: &str = "delete from users where id = $1";
    if tx.row(OWNED, &[id.into()]).await?.is_some() {
        return Err(StoreError::Used("the user still owns APIs or applications"));
    }
    keep_administrator(tx, id).await?;
    credentials::forget_owner(tx, id).await?;
    tx.execute_one(SQL, &[id.into()], "user").await
}

/// Fails if `id` is the only enabled administrator.
async fn keep_administrator(tx: &mut Tx, id: UserId) -> Result<(), StoreError> {
    // Roles are words separated by commas, and no word is part of another.
    const OTHERS: &str = "select id from users \
        where id <> $1 and disabled = $2 and roles like '%administrator%' limit 1";
    const SELF: &str = "select id from users \
        where id = $1 and disabled = $2 and roles like '%administrator%'";
    let values = [id.into(), false.into()];
    let is_one = tx.row(SELF, &values).await?.is_some();
    if is_one && tx.row(OTHERS, &values).await?.is_none() {
        return Err(StoreError::LastAdministrator);
    }
    Ok(())
}

fn words(roles: &[Role]) -> String {
    let words: Vec<&str> = roles.iter().map(|role| role.word()).collect();
    words.join(",")
}

pub(crate) fn read_user(row: &Row) -> Result<User, StoreError> {
    Ok(User {
        id: row.id("id")?,
        name: row.text("name")?,
        one_time: row.boolean("one_time")?,
        roles: roles(row)?,
        disabled: row.boolean("disabled")?,
        created_us: row.int("created_us")?,
    })
}

/// Reads the user from a row that joins it to a noun with an id of its own: columns that both could
/// have are named `user_id`, `user_name` and `user_created_us`.
pub(crate) fn read_joined(row: &Row) -> Result<User, StoreError> {
    Ok(User {
        id: row.id("user_id")?,
        name: row.text("user_name")?,
        one_time: row.boolean("one_time")?,
        roles: roles(row)?,
        disabled: row.boolean("disabled")?,
        created_us: row.int("user_created_us")?,
    })
}

fn roles(row: &Row) -> Result<Vec<Role>, StoreError> {
    let text = row.text("roles")?;
    let words = text.split(',').filter(|word| !word.is_empty());
    words
        .map(|word| {
            Role::from_word(word)
                .ok_or_else(|| StoreError::Corrupt(format!("column roles holds {word:?}")))
        })
        .collect()
}
