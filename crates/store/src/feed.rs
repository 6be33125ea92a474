//! The source of the feed: which nouns changed since a sequence, and their present state.
//!
//! Every write that gateways must learn of appends to `changes` in its own transaction; the
//! sequence is that table's key. A reader of the feed calls [`changes_since`] with the last
//! sequence it sent, or [`whole`] when it begins or lags too far behind. Each result is read from
//! one state, so changes of one transaction arrive together. `feed/kinds.rs` has the statements for
//! each kind of noun.

use tollgate_model::api::Configuration;
use tollgate_model::compile;
use tollgate_model::feed::{Event, Sequence};
use tollgate_model::id::{
    ApiKeyId, ApplicationId, BasicUserId, CachePurgeId, ClientId, PlanId, SigningKeyId,
    SubscriptionId, TokenId, UserId, VersionId,
};
use tollgate_model::plan::{Limit, PlanTerms};

use crate::contracts::{self, ContractDocument};
use crate::reading::Reading;
use crate::{Store, StoreError, Tx, secrets};

mod kinds;

#[cfg(test)]
pub(crate) use kinds::ROWS;
pub(crate) use kinds::read_token;
use kinds::{Changed, Part};

/// Number of changes kept; a reader that lags further behind reads everything with [`whole`].
pub const CHANGES_KEPT: i64 = 10_000;

const LAST: &str = "select coalesce(max(sequence), 0) as last from changes";

/// An object that gateways hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Noun {
    /// A version with its deployed revision.
    Version(VersionId),
    /// A plan.
    Plan(PlanId),
    /// An application.
    Application(ApplicationId),
    /// A subscription.
    Subscription(SubscriptionId),
    /// An API key.
    ApiKey(ApiKeyId),
    /// An OAuth2 client.
    Client(ClientId),
    /// A user of HTTP Basic.
    BasicUser(BasicUserId),
    /// An opaque token.
    Token(TokenId),
    /// A token that was revoked.
    RevokedToken(TokenId),
    /// A key that signs tokens.
    SigningKey(SigningKeyId),
    /// A purge of stored responses.
    CachePurge(CachePurgeId),
}

impl Noun {
    pub(crate) const VERSION: &'static str = "version";
    pub(crate) const PLAN: &'static str = "plan";
    pub(crate) const APPLICATION: &'static str = "application";
    pub(crate) const SUBSCRIPTION: &'static str = "subscription";
    pub(crate) const API_KEY: &'static str = "api_key";
    pub(crate) const CLIENT: &'static str = "client";
    pub(crate) const BASIC_USER: &'static str = "basic_user";
    pub(crate) const TOKEN: &'static str = "token";
    pub(crate) const REVOKED_TOKEN: &'static str = "revoked_token";
    pub(crate) const SIGNING_KEY: &'static str = "signing_key";
    pub(crate) const CACHE_PURGE: &'static str = "cache_purge";

    fn parts(self) -> (&'static str, i64) {
        match self {
            Self::Version(id) => (Self::VERSION, id.raw()),
            Self::Plan(id) => (Self::PLAN, id.raw()),
            Self::Application(id) => (Self::APPLICATION, id.raw()),
            Self::Subscription(id) => (Self::SUBSCRIPTION, id.raw()),
            Self::ApiKey(id) => (Self::API_KEY, id.raw()),
            Self::Client(id) => (Self::CLIENT, id.raw()),
            Self::BasicUser(id) => (Self::BASIC_USER, id.raw()),
            Self::Token(id) => (Self::TOKEN, id.raw()),
            Self::RevokedToken(id) => (Self::REVOKED_TOKEN, id.raw()),
            Self::SigningKey(id) => (Self::SIGNING_KEY, id.raw()),
            Self::CachePurge(id) => (Self::CACHE_PURGE, id.raw()),
        }
    }
}

/// The state of nouns as of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The last change included.
    pub sequence: Sequence,
    /// One fact for each noun; no noun twice.
    pub facts: Vec<Fact>,
}

/// The present state of one noun, as far as gateways need it.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A version with its deployed revision, in a state that gateways serve; still to be compiled.
    Version(Box<Deployed>),
    /// A plan's terms; the limits are still to be compiled.
    Plan {
        /// The plan.
        id: PlanId,
        /// Its name.
        name: String,
        /// Its terms.
        terms: PlanTerms,
    },
    /// An application's limits, still to be compiled.
    Application {
        /// The application.
        id: ApplicationId,
        /// Its owner.
        owner: UserId,
        /// Its limits.
        limits: Vec<Limit>,
        /// Unix microseconds: tokens that were issued before are not valid.
        tokens_from_us: i64,
    },
    /// An event that gateways get unchanged.
    Ready(Event),
}

/// The input of `model::compile` for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployed {
    /// The version, with its API's context.
    pub version: compile::Version,
    /// The configuration of its deployed revision, or why it cannot be read: a damaged version must
    /// not keep the others from gateways.
    pub configuration: Result<Configuration, String>,
    /// The documents of the contract that the configuration refers to; empty for REST.
    pub contract: Vec<ContractDocument>,
}

/// Notes a change of a noun for gateways; see [`Tx::note`].
pub(crate) async fn note(tx: &mut Tx, noun: Noun) -> Result<(), StoreError> {
    const SQL: &str = "insert into changes (noun, id) values ($1, $2)";
    let (word, id) = noun.parts();
    tx.execute(SQL, &[word.into(), id.into()]).await?;
    Ok(())
}

/// Returns the last sequence within a transaction; deletes changes beyond [`CHANGES_KEPT`].
pub(crate) async fn seal(tx: &mut Tx) -> Result<Sequence, StoreError> {
    const FORGET: &str = "delete from changes where sequence <= $1";
    let row = tx.row(LAST, &[]).await?;
    let last = row.map_or(Ok(0), |row| row.int("last"))?;
    if last > CHANGES_KEPT {
        tx.execute(FORGET, &[(last - CHANGES_KEPT).into()]).await?;
    }
    Ok(sequence(last))
}

/// Returns the sequence of the last change.
///
/// # Errors
/// Fails if the database read fails.
pub async fn last(store: &Store) -> Result<Sequence, StoreError> {
    let row = store.row(LAST, &[]).await?;
    row.map_or(Ok(0), |row| row.int("last")).map(sequence)
}

/// Returns the state at `now_us` (Unix microseconds) of all that changed after `since`; without
/// facts if nothing did. `None` if the changes are no longer kept: read the [`whole`].
///
/// # Errors
/// Fails if the database read fails.
pub async fn changes_since(
    store: &Store,
    since: Sequence,
    now_us: i64,
) -> Result<Option<Facts>, StoreError> {
    const KEPT: &str = "select \
        coalesce((select min(sequence) from changes), 1) as first, \
        coalesce((select max(sequence) from changes), 0) as last";
    let since = i64::try_from(since).unwrap_or(i64::MAX);
    let mut reading = store.reading().await?;
    let Some(row) = reading.row(KEPT, &[]).await? else {
        return Ok(None);
    };
    let (first, last) = (row.int("first")?, row.int("last")?);
    if since > last || since < first - 1 {
        reading.end().await?;
        return Ok(None);
    }
    let mut facts = Vec::new();
    if since < last {
        let changed = Changed::read(&mut reading, since).await?;
        Part::Changed(changed)
            .add(&mut reading, now_us, &mut facts)
            .await?;
        add_contracts(&mut reading, &mut facts).await?;
        open_secrets(store, &mut facts);
    }
    reading.end().await?;
    Ok(Some(Facts {
        sequence: sequence(last),
        facts,
    }))
}

/// Returns everything that gateways hold at `now_us`, Unix microseconds. Expired objects are left
/// out where gateways drop them by themselves.
///
/// # Errors
/// Fails if the database read fails.
pub async fn whole(store: &Store, now_us: i64) -> Result<Facts, StoreError> {
    let mut reading = store.reading().await?;
    let row = reading.row(LAST, &[]).await?;
    let last = row.map_or(Ok(0), |row| row.int("last"))?;
    let mut facts = Vec::new();
    Part::Whole.add(&mut reading, now_us, &mut facts).await?;
    add_contracts(&mut reading, &mut facts).await?;
    open_secrets(store, &mut facts);
    reading.end().await?;
    Ok(Facts {
        sequence: sequence(last),
        facts,
    })
}

impl Part {
    /// Adds the facts of every kind.
    async fn add(
        &self,
        reading: &mut Reading,
        now_us: i64,
        facts: &mut Vec<Fact>,
    ) -> Result<(), StoreError> {
        kinds::VERSIONS.add(reading, self, now_us, facts).await?;
        kinds::PLANS.add(reading, self, now_us, facts).await?;
        kinds::APPLICATIONS
            .add(reading, self, now_us, facts)
            .await?;
        kinds::SUBSCRIPTIONS
            .add(reading, self, now_us, facts)
            .await?;
        kinds::API_KEYS.add(reading, self, now_us, facts).await?;
        kinds::BASIC_USERS.add(reading, self, now_us, facts).await?;
        kinds::CLIENTS.add(reading, self, now_us, facts).await?;
        kinds::TOKENS.add(reading, self, now_us, facts).await?;
        kinds::REVOKED_TOKENS
            .add(reading, self, now_us, facts)
            .await?;
        kinds::SIGNING_KEYS
            .add(reading, self, now_us, facts)
            .await?;
        kinds::CACHE_PURGES.add(reading, self, now_us, facts).await
    }
}

/// Reads the contracts of deployed versions.
async fn add_contracts(reading: &mut Reading, facts: &mut [Fact]) -> Result<(), StoreError> {
    for fact in facts {
        if let Fact::Version(deployed) = fact
            && let Ok(configuration) = &deployed.configuration
            && let Some(soap) = &configuration.soap
        {
            let version = deployed.version.id;
            deployed.contract =
                contracts::documents_within(reading, version, &soap.contract).await?;
        }
    }
    Ok(())
}

/// Opens the secrets of deployed versions.
fn open_secrets(store: &Store, facts: &mut [Fact]) {
    for fact in facts {
        if let Fact::Version(deployed) = fact
            && let Ok(configuration) = &mut deployed.configuration
        {
            secrets::open(store.master_key(), deployed.version.id, configuration);
        }
    }
}

/// Table keys are positive.
fn sequence(value: i64) -> Sequence {
    value.unsigned_abs()
}
