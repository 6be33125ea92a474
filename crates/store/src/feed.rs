//! What the feed reads: which nouns changed since a sequence, and what is true of them now.
//!
//! Every write that gateways must hear of appends to `changes` in its own transaction; the
//! sequence is that table's key. Whoever follows the feed asks [`changes_since`] the last
//! sequence it told, or [`whole`] when it begins or lags too far behind. Each answer is read from
//! one state, so what became true together is told together.

use std::collections::HashSet;
use std::hash::Hash;

use tollgate_model::api::Configuration;
use tollgate_model::compile;
use tollgate_model::credential::Environment;
use tollgate_model::feed::{Sequence, ServedKey, ServedSubscription};
use tollgate_model::id::{ApiKeyId, ApplicationId, Id, PlanId, SubscriptionId, VersionId};
use tollgate_model::lifecycle::{AtGateway, State};
use tollgate_model::plan::{Limit, PlanTerms};
use tollgate_model::subscription::Status;

use crate::db::Row;
use crate::store::Reading;
use crate::value::Value;
use crate::{Store, StoreError, Tx};

/// Changes that are kept; who lags further behind reads the whole.
pub const CHANGES_KEPT: i64 = 10_000;

/// Something that gateways hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Noun {
    /// A version, with what it has deployed.
    Version(VersionId),
    /// A plan.
    Plan(PlanId),
    /// An application.
    Application(ApplicationId),
    /// A subscription.
    Subscription(SubscriptionId),
    /// An API key.
    ApiKey(ApiKeyId),
}

impl Noun {
    pub(crate) const VERSION: &'static str = "version";
    pub(crate) const PLAN: &'static str = "plan";
    pub(crate) const APPLICATION: &'static str = "application";
    pub(crate) const SUBSCRIPTION: &'static str = "subscription";
    pub(crate) const API_KEY: &'static str = "api_key";

    fn parts(self) -> (&'static str, i64) {
        match self {
            Self::Version(id) => (Self::VERSION, id.raw()),
            Self::Plan(id) => (Self::PLAN, id.raw()),
            Self::Application(id) => (Self::APPLICATION, id.raw()),
            Self::Subscription(id) => (Self::SUBSCRIPTION, id.raw()),
            Self::ApiKey(id) => (Self::API_KEY, id.raw()),
        }
    }
}

/// What is true as of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The last change that they include.
    pub sequence: Sequence,
    /// One for each noun; no noun twice.
    pub facts: Vec<Fact>,
}

/// The present state of one noun, as far as gateways need it.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A version has this deployed, in a state that gateways know.
    Version(Box<Deployed>),
    /// A version is not at the gateways.
    VersionGone(VersionId),
    /// A plan has these terms.
    Plan {
        /// The plan.
        id: PlanId,
        /// Its name.
        name: String,
        /// Its terms.
        terms: PlanTerms,
    },
    /// There is no such plan.
    PlanGone(PlanId),
    /// An application has these limits.
    Application {
        /// The application.
        id: ApplicationId,
        /// Its limits.
        limits: Vec<Limit>,
    },
    /// There is no such application.
    ApplicationGone(ApplicationId),
    /// A subscription lives, with whatever status.
    Subscription(ServedSubscription),
    /// A subscription has ended.
    SubscriptionGone(SubscriptionId),
    /// A key was not revoked; it may have expired.
    Key(ServedKey),
    /// A key was revoked.
    KeyGone(ApiKeyId),
}

/// What `model::compile` needs of a version.
#[derive(Debug, Clone)]
pub struct Deployed {
    /// The version, with its API's context.
    pub version: compile::Version,
    /// What its deployed revision froze.
    pub configuration: Configuration,
}

impl PartialEq for Deployed {
    fn eq(&self, other: &Self) -> bool {
        self.version.id == other.version.id
            && self.version.context == other.version.context
            && self.version.name == other.version.name
            && self.version.is_default == other.version.is_default
            && self.version.state == other.version.state
            && self.version.revision == other.version.revision
            && self.configuration == other.configuration
    }
}

/// Notes that gateways must hear of a noun; see [`Tx::note`].
pub(crate) async fn note(tx: &mut Tx, noun: Noun) -> Result<(), StoreError> {
    const SQL: &str = "insert into changes (noun, id) values ($1, $2)";
    let (word, id) = noun.parts();
    tx.execute(SQL, &[word.into(), id.into()]).await?;
    Ok(())
}

/// The sequence that a transaction reaches; forgets changes that are older than is kept.
pub(crate) async fn seal(tx: &mut Tx) -> Result<Sequence, StoreError> {
    const LAST: &str = "select coalesce(max(sequence), 0) as last from changes";
    const FORGET: &str = "delete from changes where sequence <= $1";
    let row = tx.row(LAST, &[]).await?;
    let last = row.map_or(Ok(0), |row| row.int("last"))?;
    if last > CHANGES_KEPT {
        tx.execute(FORGET, &[(last - CHANGES_KEPT).into()]).await?;
    }
    Ok(sequence(last))
}

/// The sequence of the last change.
///
/// # Errors
/// As any read.
pub async fn last(store: &Store) -> Result<Sequence, StoreError> {
    const SQL: &str = "select coalesce(max(sequence), 0) as last from changes";
    let row = store.row(SQL, &[]).await?;
    row.map_or(Ok(0), |row| row.int("last")).map(sequence)
}

/// What is true now of all that changed after `since`; no facts when nothing did. `None` when
/// that cannot be told any more: read the [`whole`].
///
/// # Errors
/// As any read.
pub async fn changes_since(store: &Store, since: Sequence) -> Result<Option<Facts>, StoreError> {
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
        changed_versions(&mut reading, since, &mut facts).await?;
        changed_plans(&mut reading, since, &mut facts).await?;
        changed_applications(&mut reading, since, &mut facts).await?;
        changed_subscriptions(&mut reading, since, &mut facts).await?;
        changed_keys(&mut reading, since, &mut facts).await?;
    }
    reading.end().await?;
    Ok(Some(Facts {
        sequence: sequence(last),
        facts,
    }))
}

/// Everything that gateways hold.
///
/// # Errors
/// As any read.
pub async fn whole(store: &Store) -> Result<Facts, StoreError> {
    const LAST: &str = "select coalesce(max(sequence), 0) as last from changes";
    const VERSIONS: &str = "select v.id, v.api, a.context, v.name, v.is_default, v.state, \
            v.deployed, r.configuration \
        from versions v join apis a on a.id = v.api join revisions r on r.id = v.deployed \
        order by v.id";
    const PLANS: &str = "select id, name, terms from plans order by id";
    const APPLICATIONS: &str = "select id, limits from applications order by id";
    const SUBSCRIPTIONS: &str = "select id, application, version, plan, status \
        from subscriptions where ended_us is null order by id";
    const KEYS: &str = "select id, digest, application, environment, not_before_us, expires_us \
        from api_keys where revoked_us is null order by id";
    let mut reading = store.reading().await?;
    let row = reading.row(LAST, &[]).await?;
    let last = row.map_or(Ok(0), |row| row.int("last"))?;
    let mut facts = Vec::new();
    for row in reading.rows(VERSIONS, &[]).await? {
        facts.extend(version(&row)?.1);
    }
    for row in reading.rows(PLANS, &[]).await? {
        facts.push(plan(&row)?.1);
    }
    for row in reading.rows(APPLICATIONS, &[]).await? {
        facts.push(application(&row)?.1);
    }
    for row in reading.rows(SUBSCRIPTIONS, &[]).await? {
        facts.push(subscription(&row)?.1);
    }
    for row in reading.rows(KEYS, &[]).await? {
        facts.push(key(&row)?.1);
    }
    reading.end().await?;
    Ok(Facts {
        sequence: sequence(last),
        facts,
    })
}

async fn changed_versions(
    reading: &mut Reading,
    since: i64,
    facts: &mut Vec<Fact>,
) -> Result<(), StoreError> {
    const SQL: &str = "select v.id, v.api, a.context, v.name, v.is_default, v.state, \
            v.deployed, r.configuration \
        from versions v join apis a on a.id = v.api join revisions r on r.id = v.deployed \
        where v.id in (select id from changes where sequence > $1 and noun = $2)";
    let values = [since.into(), Noun::VERSION.into()];
    let mut gone = changed(reading, &values).await?;
    for row in reading.rows(SQL, &values).await? {
        let (id, fact) = version(&row)?;
        if let Some(fact) = fact {
            gone.remove(&id);
            facts.push(fact);
        }
    }
    facts.extend(gone.into_iter().map(Fact::VersionGone));
    Ok(())
}

async fn changed_plans(
    reading: &mut Reading,
    since: i64,
    facts: &mut Vec<Fact>,
) -> Result<(), StoreError> {
    const SQL: &str = "select id, name, terms from plans \
        where id in (select id from changes where sequence > $1 and noun = $2)";
    let values = [since.into(), Noun::PLAN.into()];
    let mut gone = changed(reading, &values).await?;
    for row in reading.rows(SQL, &values).await? {
        present(plan(&row)?, &mut gone, facts);
    }
    facts.extend(gone.into_iter().map(Fact::PlanGone));
    Ok(())
}

async fn changed_applications(
    reading: &mut Reading,
    since: i64,
    facts: &mut Vec<Fact>,
) -> Result<(), StoreError> {
    const SQL: &str = "select id, limits from applications \
        where id in (select id from changes where sequence > $1 and noun = $2)";
    let values = [since.into(), Noun::APPLICATION.into()];
    let mut gone = changed(reading, &values).await?;
    for row in reading.rows(SQL, &values).await? {
        present(application(&row)?, &mut gone, facts);
    }
    facts.extend(gone.into_iter().map(Fact::ApplicationGone));
    Ok(())
}

async fn changed_subscriptions(
    reading: &mut Reading,
    since: i64,
    facts: &mut Vec<Fact>,
) -> Result<(), StoreError> {
    const SQL: &str = "select id, application, version, plan, status \
        from subscriptions where ended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2)";
    let values = [since.into(), Noun::SUBSCRIPTION.into()];
    let mut gone = changed(reading, &values).await?;
    for row in reading.rows(SQL, &values).await? {
        present(subscription(&row)?, &mut gone, facts);
    }
    facts.extend(gone.into_iter().map(Fact::SubscriptionGone));
    Ok(())
}

async fn changed_keys(
    reading: &mut Reading,
    since: i64,
    facts: &mut Vec<Fact>,
) -> Result<(), StoreError> {
    const SQL: &str = "select id, digest, application, environment, not_before_us, expires_us \
        from api_keys where revoked_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2)";
    let values = [since.into(), Noun::API_KEY.into()];
    let mut gone = changed(reading, &values).await?;
    for row in reading.rows(SQL, &values).await? {
        present(key(&row)?, &mut gone, facts);
    }
    facts.extend(gone.into_iter().map(Fact::KeyGone));
    Ok(())
}

/// The ids of one kind that changed: those that turn out to be absent are gone.
async fn changed<K>(
    reading: &mut Reading,
    values: &[Value<'_>],
) -> Result<HashSet<Id<K>>, StoreError> {
    const SQL: &str = "select distinct id from changes where sequence > $1 and noun = $2";
    let rows = reading.rows(SQL, values).await?;
    rows.iter().map(|row| row.id("id")).collect()
}

fn present<I: Eq + Hash>((id, fact): (I, Fact), gone: &mut HashSet<I>, facts: &mut Vec<Fact>) {
    gone.remove(&id);
    facts.push(fact);
}

/// A version, and what is deployed of it unless its state keeps it off the gateways.
fn version(row: &Row) -> Result<(VersionId, Option<Fact>), StoreError> {
    let version = compile::Version {
        id: row.id("id")?,
        api: row.id("api")?,
        context: row.text("context")?,
        name: row.text("name")?,
        is_default: row.boolean("is_default")?,
        state: row.word("state", State::from_word)?,
        revision: row.id("deployed")?,
    };
    let id = version.id;
    if version.state.at_gateway() == AtGateway::Absent {
        return Ok((id, None));
    }
    let configuration = row.json("configuration")?;
    let deployed = Deployed {
        version,
        configuration,
    };
    Ok((id, Some(Fact::Version(Box::new(deployed)))))
}

fn plan(row: &Row) -> Result<(PlanId, Fact), StoreError> {
    let id = row.id("id")?;
    let fact = Fact::Plan {
        id,
        name: row.text("name")?,
        terms: row.json("terms")?,
    };
    Ok((id, fact))
}

fn application(row: &Row) -> Result<(ApplicationId, Fact), StoreError> {
    let id = row.id("id")?;
    let limits = row.json("limits")?;
    Ok((id, Fact::Application { id, limits }))
}

fn subscription(row: &Row) -> Result<(SubscriptionId, Fact), StoreError> {
    let id = row.id("id")?;
    let subscription = ServedSubscription {
        id,
        application: row.id("application")?,
        version: row.id("version")?,
        plan: row.id("plan")?,
        status: row.word("status", Status::from_word)?,
    };
    Ok((id, Fact::Subscription(subscription)))
}

fn key(row: &Row) -> Result<(ApiKeyId, Fact), StoreError> {
    let id = row.id("id")?;
    let key = ServedKey {
        id,
        digest: row.digest("digest")?,
        application: row.id("application")?,
        environment: row.word("environment", Environment::from_word)?,
        not_before_us: row.int_or_null("not_before_us")?,
        expires_us: row.int_or_null("expires_us")?,
    };
    Ok((id, Fact::Key(key)))
}

/// Table keys are positive.
fn sequence(value: i64) -> Sequence {
    value.unsigned_abs()
}
