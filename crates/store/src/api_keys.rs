//! API keys of applications, kept by digest only.

use tollgate_model::credential::Digest;
use tollgate_model::id::{self, ApiKeyId, Id};

use crate::credentials::table::API_KEYS;
use crate::credentials::{self, CredentialKind, Stored, Terms, terms};
use crate::part::statements;
use crate::row::Row;
use crate::{Noun, StoreError, Tx};

/// One API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The key's id.
    pub id: ApiKeyId,
    /// The terms that all credentials have.
    pub terms: Terms,
    /// SHA-256 of the whole key.
    pub digest: Digest,
    /// Last four characters of the key.
    pub hint: String,
    /// Its latest rotation, if any.
    pub rotated: Option<Rotated>,
}

/// The rotation of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotated {
    /// Unix microseconds from which it is not valid, unless it expires earlier.
    pub until_us: i64,
    /// The key that replaces it.
    pub successor: ApiKeyId,
}

impl ApiKey {
    /// Returns the Unix microseconds from which it is not valid: the earlier of its expiry and the
    /// end of its grace period.
    #[must_use]
    pub fn ends_us(&self) -> Option<i64> {
        let grace = self.rotated.map(|it| it.until_us);
        self.terms.expires_us.into_iter().chain(grace).min()
    }
}

/// Creates a key that was not rotated yet. It is suspended if its owner is.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such application.
pub async fn create(tx: &mut Tx, key: &ApiKey) -> Result<(), StoreError> {
    const SQL: &str = concat!(
        "insert into api_keys (id, ",
        terms!(),
        ", digest, hint) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
    );
    let row = key.terms.row();
    let own = [(&key.digest).into(), (&key.hint).into()];
    let values = [&[key.id.into()], &row.values()[..], &own].concat();
    tx.execute(SQL, &values).await?;
    credentials::created::<id::ApiKey>(tx, key).await
}

/// Replaces a key by a new one. The old key ends at `until_us`, or earlier if it expires or an
/// earlier rotation ends before that.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such key.
pub async fn rotate(
    tx: &mut Tx,
    old: ApiKeyId,
    new: &ApiKey,
    until_us: i64,
) -> Result<(), StoreError> {
    let successor = new.id;
    let rotated = Rotated {
        until_us,
        successor,
    };
    end(tx, old, rotated).await?;
    create(tx, new).await
}

/// Ends a key that a successor replaces, at `until_us` or when an earlier rotation ends, whichever
/// comes first.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such key.
pub async fn end(tx: &mut Tx, old: ApiKeyId, rotated: Rotated) -> Result<(), StoreError> {
    const SQL: &str = "update api_keys set successor = $3, grace_until_us = \
        case when grace_until_us < $2 then grace_until_us else $2 end where id = $1";
    let values = [
        old.into(),
        rotated.until_us.into(),
        rotated.successor.into(),
    ];
    tx.execute_one(SQL, &values, API_KEYS.called).await?;
    tx.note(Noun::ApiKey(old)).await
}

macro_rules! columns {
    () => {
        concat!(
            "id, ",
            terms!(),
            ", digest, hint, grace_until_us, successor"
        )
    };
}

impl CredentialKind for id::ApiKey {
    type Credential = ApiKey;

    const STORED: Stored<Self> = Stored {
        table: &API_KEYS,
        by_id: concat!("select ", columns!(), " from api_keys where id = $1"),
        find: statements!(
            select columns!(),
            from "api_keys where application = $1 and try_it = 0 \
                and ($2 is null or name like $2 escape '\\')",
            id "id" name "name", after "$3" at_most "$4" key "$5"
        ),
        noun: Noun::ApiKey,
        read,
    };

    fn id(key: &ApiKey) -> Id<Self> {
        key.id
    }

    fn terms(key: &ApiKey) -> &Terms {
        &key.terms
    }

    fn ends_us(key: &ApiKey) -> Option<i64> {
        key.ends_us()
    }
}

fn read_rotated(row: &Row) -> Result<Option<Rotated>, StoreError> {
    let until_us = row.int_or_null("grace_until_us")?;
    let successor = row.id_or_null("successor")?;
    Ok(until_us
        .zip(successor)
        .map(|(until_us, successor)| Rotated {
            until_us,
            successor,
        }))
}

fn read(row: &Row) -> Result<ApiKey, StoreError> {
    Ok(ApiKey {
        id: row.id("id")?,
        terms: Terms::read(row)?,
        digest: row.digest("digest")?,
        hint: row.text("hint")?,
        rotated: read_rotated(row)?,
    })
}
