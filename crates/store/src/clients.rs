//! OAuth2 clients of applications (RFC 6749, section 2): how each authenticates, and what tokens
//! it gets. Secrets are kept by digest only.
//!
//! Neighbours: `tokens.rs` keeps the opaque tokens of clients, `signing_keys.rs` what the others
//! are signed with.

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
    /// The client, which is its `client_id`.
    pub id: ClientId,
    /// What it has in common with other credentials.
    pub terms: Terms,
    /// How it proves that it is itself.
    pub authentication: Authentication,
    /// What it gets.
    pub grant: Grant,
    /// Unix microseconds: its tokens that were issued before are worth nothing.
    pub tokens_from_us: i64,
}

/// How a client proves that it is itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// By a secret that we made.
    Secret(Secret),
    /// By assertions that it signs (RFC 7523): its public keys, a JWK Set as JSON (RFC 7517).
    PrivateKeyJwt {
        /// The set.
        jwks: String,
    },
}

/// What tokens a client gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The scopes that they may have.
    pub scopes: Vec<String>,
    /// Their form.
    pub form: TokenForm,
    /// Seconds from their issue to their end.
    pub lifetime_s: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A JWT (RFC 9068) that is signed by a key of this algorithm.
    Jwt(Algorithm),
    /// A random text.
    Opaque,
}

/// What [`update`] writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientChange {
    /// The new terms.
    pub terms: TermsChange,
    /// What it gets from now on.
    pub grant: Grant,
    /// Its keys from now on; `None` leaves them, and is said of a client with a secret.
    pub jwks: Option<String>,
}

/// Writes a new client; it is suspended if its owner is.
///
/// # Errors
/// [`StoreError::NotFound`] without such an application.
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

/// Writes what the owner of a client may change. Scopes that are taken away are so of the tokens
/// that it has.
///
/// # Errors
/// [`StoreError::NotFound`].
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

/// Gives a client a new secret. Of a rotation before this one nothing stays.
///
/// # Errors
/// [`StoreError::NotFound`], also of a client that has no secret.
pub async fn rotate(tx: &mut Tx, id: ClientId, secret: &NewSecret) -> Result<(), StoreError> {
    const SQL: &str = "update clients set \
            previous_digest = case when $4 is null then null else digest end, \
            previous_until_us = $4, digest = $2, hint = $3 \
        where id = $1 and digest is not null";
    // Gateways know tokens, not secrets.
    credentials::rotate(tx, (SQL, CLIENTS.called), id, secret).await
}

/// Makes the tokens of a client that were issued before `at_us` worth nothing.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn void_tokens(tx: &mut Tx, id: ClientId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update clients \
        set tokens_from_us = case when tokens_from_us > $2 then tokens_from_us else $2 end \
        where id = $1";
    tx.execute_one(SQL, &[id.into(), at_us.into()], CLIENTS.called)
        .await?;
    tx.note(Noun::Client(id)).await
}

impl TokenForm {
    /// What tokens of this form are signed with.
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
