//! OAuth2 clients of applications (RFC 6749, section 2): how they authenticate, and the tokens
//! issued to them. Secrets are stored as digests only.
//!
//! Neighbours: `tokens.rs` stores the opaque tokens of clients, `signing_keys.rs` the keys that
//! sign their JWT.

use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::{self, ClientId, Id};

use crate::credentials::table::CLIENTS;
use crate::credentials::{
    self, CredentialKind, NewSecret, Secret, Stored, Terms, TermsChange, terms,
};
use crate::part::statements;
use crate::row::Row;
use crate::value::json;
use crate::{Noun, StoreError, Tx};

/// One OAuth2 client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The client's id, which is its `client_id`.
    pub id: ClientId,
    /// The terms that all credentials have.
    pub terms: Terms,
    /// How it authenticates.
    pub authentication: Authentication,
    /// The tokens issued to it.
    pub grant: Grant,
    /// Unix microseconds; tokens issued before are not valid.
    pub tokens_from_us: i64,
}

/// How a client authenticates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// With a generated secret.
    Secret(Secret),
    /// With signed assertions (RFC 7523).
    PrivateKeyJwt {
        /// Its public keys: a JWK Set (RFC 7517) as JSON.
        jwks: String,
    },
}

/// The tokens issued to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Scopes that they may have.
    pub scopes: Vec<String>,
    /// Their form.
    pub form: TokenForm,
    /// Their lifetime in seconds.
    pub lifetime_s: u32,
}

/// The form of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A JWT (RFC 9068) signed with this algorithm.
    Jwt(Algorithm),
    /// An opaque random string.
    Opaque,
}

/// A change of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientChange {
    /// The new terms.
    pub terms: TermsChange,
    /// The new grant.
    pub grant: Grant,
    /// The new public keys; `None` keeps the present ones, or belongs to a client with a secret.
    pub jwks: Option<String>,
}

/// Creates a client. It is suspended if its owner is.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such application.
pub async fn create(tx: &mut Tx, client: &Client) -> Result<(), StoreError> {
    const SQL: &str = concat!(
        "insert into clients (id, ",
        terms!(),
        ", digest, hint, previous_digest, previous_until_us, jwks, scopes, algorithm, \
         lifetime_s, tokens_from_us) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
         $18, $19, $20, $21, $22)"
    );
    let row = client.terms.row();
    let (secret, jwks) = match &client.authentication {
        Authentication::Secret(secret) => (Some(secret), None),
        Authentication::PrivateKeyJwt { jwks } => (None, Some(jwks.as_str())),
    };
    let [previous, previous_until_us] = Secret::previous_values(secret);
    let scopes = json(&client.grant.scopes);
    let own = [
        secret.map(|it| &it.digest).into(),
        secret.map(|it| it.hint.as_str()).into(),
        previous,
        previous_until_us,
        jwks.into(),
        (&scopes).into(),
        client.grant.form.algorithm().map(Algorithm::word).into(),
        i64::from(client.grant.lifetime_s).into(),
        client.tokens_from_us.into(),
    ];
    let values = [&[client.id.into()], &row.values()[..], &own].concat();
    tx.execute(SQL, &values).await?;
    credentials::created::<id::Client>(tx, client).await
}

/// Updates the part of a client that its owner may change. Issued tokens lose removed scopes.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such client.
pub async fn update(tx: &mut Tx, id: ClientId, change: &ClientChange) -> Result<(), StoreError> {
    const SQL: &str = "update clients set scopes = $2, algorithm = $3, lifetime_s = $4, \
        jwks = coalesce($5, jwks) where id = $1";
    let scopes = json(&change.grant.scopes);
    let values = [
        id.into(),
        (&scopes).into(),
        change.grant.form.algorithm().map(Algorithm::word).into(),
        i64::from(change.grant.lifetime_s).into(),
        change.jwks.as_deref().into(),
    ];
    tx.execute(SQL, &values).await?;
    credentials::update(tx, id, &change.terms).await
}

/// Replaces the secret of a client. The secret before the present one is dropped.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such client, or it has no secret.
pub async fn rotate(tx: &mut Tx, id: ClientId, secret: &NewSecret) -> Result<(), StoreError> {
    const SQL: &str = "update clients set \
            previous_digest = case when $4 is null then null else digest end, \
            previous_until_us = $4, digest = $2, hint = $3 \
        where id = $1 and digest is not null";
    // Gateways hold tokens, not secrets: nothing to note.
    credentials::rotate(tx, SQL, id, secret).await
}

/// Invalidates the tokens of a client that were issued before `at_us`.
///
/// # Errors
/// Fails with [`StoreError::NotFound`] if there is no such client.
pub async fn void_tokens(tx: &mut Tx, id: ClientId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update clients \
        set tokens_from_us = case when tokens_from_us > $2 then tokens_from_us else $2 end \
        where id = $1";
    tx.execute_one(SQL, &[id.into(), at_us.into()], CLIENTS.called)
        .await?;
    tx.note(Noun::Client(id)).await
}

impl TokenForm {
    /// Returns the signature algorithm of this form, if it is signed.
    #[must_use]
    pub const fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::Jwt(algorithm) => Some(algorithm),
            Self::Opaque => None,
        }
    }
}

macro_rules! columns {
    () => {
        concat!(
            "id, ",
            terms!(),
            ", digest, hint, previous_digest, previous_until_us, jwks, scopes, algorithm, \
         lifetime_s, tokens_from_us"
        )
    };
}

impl CredentialKind for id::Client {
    type Credential = Client;

    const STORED: Stored<Self> = Stored {
        table: &CLIENTS,
        by_id: concat!("select ", columns!(), " from clients where id = $1"),
        find: statements!(
            select columns!(),
            from "clients where application = $1 and try_it = 0 \
                and ($2 is null or name like $2 escape '\\')",
            id "id" name "name", after "$3" at_most "$4" key "$5"
        ),
        noun: Noun::Client,
        read,
    };

    fn id(client: &Client) -> Id<Self> {
        client.id
    }

    fn terms(client: &Client) -> &Terms {
        &client.terms
    }
}

fn read(row: &Row) -> Result<Client, StoreError> {
    let authentication = match row.text_or_null("jwks")? {
        Some(jwks) => Authentication::PrivateKeyJwt { jwks },
        None => Authentication::Secret(Secret::read(row)?),
    };
    let algorithm = row.word_or_null("algorithm", Algorithm::from_word)?;
    let lifetime_s = u32::try_from(row.int("lifetime_s")?);
    Ok(Client {
        id: row.id("id")?,
        terms: Terms::read(row)?,
        authentication,
        grant: Grant {
            scopes: row.json("scopes")?,
            form: algorithm.map_or(TokenForm::Opaque, TokenForm::Jwt),
            lifetime_s: lifetime_s.map_err(|_| {
                StoreError::Corrupt("column lifetime_s is no number of seconds".to_owned())
            })?,
        },
        tokens_from_us: row.int("tokens_from_us")?,
    })
}
