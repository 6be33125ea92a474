//! The kinds of nouns that gateways hold: statements for all of a kind and for the changed ones,
//! and how a row becomes a fact. The two statements of a kind differ in their last condition only.

use std::collections::{HashMap, HashSet};

use tollgate_model::algorithm::Algorithm;
use tollgate_model::api::Kind as ApiKind;
use tollgate_model::compile;
use tollgate_model::credential::Environment;
use tollgate_model::feed::{
    CachePurge, Event, RevokedToken, ServedDeprecation, ServedSigningKey, ServedSubscription,
    ServedToken, TokenSubject,
};
use tollgate_model::id::{self, Id};
use tollgate_model::lifecycle::{AtGateway, Deprecation, State};
use tollgate_model::subscription::Status;

use super::{Deployed, Fact, Noun};
use crate::StoreError;
use crate::reading::Reading;
use crate::row::{Row, deprecation_columns};

mod credentials;

pub(super) use credentials::{API_KEYS, BASIC_USERS, CLIENTS};

/// The fact in a row; `None` if gateways do not hold this noun.
type ReadFact<K> = Result<Option<(Id<K>, Fact)>, StoreError>;

/// The part of a kind to read.
pub(super) enum Part {
    /// All.
    Whole,
    /// Only those that changed.
    Changed(Changed),
}

/// The nouns that changed after a sequence, by the words of their kinds.
pub(super) struct Changed {
    since: i64,
    ids: HashMap<String, Vec<i64>>,
}

impl Changed {
    pub(super) async fn read(reading: &mut Reading, since: i64) -> Result<Self, StoreError> {
        const SQL: &str = "select distinct noun, id from changes where sequence > $1";
        let mut ids: HashMap<String, Vec<i64>> = HashMap::new();
        for row in reading.rows(SQL, &[since.into()]).await? {
            ids.entry(row.text("noun")?)
                .or_default()
                .push(row.int("id")?);
        }
        Ok(Self { since, ids })
    }
}

/// The statements and the reader of one kind of noun.
pub(super) struct Kind<K> {
    /// Its word in `changes`.
    noun: &'static str,
    /// Selects all by id, after the id `$1`, at most `$2`.
    whole: &'static str,
    /// Selects those that changed after `$1`; `$2` is the word.
    changed: &'static str,
    /// Reads the fact from a row as of a time, Unix microseconds.
    read: fn(&Row, i64) -> ReadFact<K>,
    /// Makes the event for a changed noun without a row; `None` if gateways know when it ends.
    gone: Option<fn(Id<K>) -> Event>,
}

impl<K: id::Kind> Kind<K> {
    /// Reads the fact from a row. A damaged row is logged and left out: it must not keep the others
    /// from gateways, which reject requests that depend on it.
    fn read_or_skip(&self, row: &Row, now_us: i64) -> ReadFact<K> {
        match (self.read)(row, now_us) {
            Err(StoreError::Corrupt(detail)) => {
                let (noun, id) = (self.noun, row.id::<K>("id")?);
                tracing::error!(noun, %id, detail, "the {noun} {id} is left out: {detail}");
                Ok(None)
            }
            fact => fact,
        }
    }

    /// Adds the facts of the whole kind.
    async fn add_whole(
        &self,
        reading: &mut Reading,
        now_us: i64,
        facts: &mut Vec<Fact>,
    ) -> Result<(), StoreError> {
        // Ids are positive.
        let mut after = 0;
        loop {
            let values = [after.into(), ROWS.into()];
            let rows = reading.rows(self.whole, &values).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = last.int("id")?;
            for row in &rows {
                facts.extend(self.read_or_skip(row, now_us)?.map(|(_, fact)| fact));
            }
        }
    }

    /// Adds the facts of this part of the kind.
    pub(super) async fn add(
        &self,
        reading: &mut Reading,
        part: &Part,
        now_us: i64,
        facts: &mut Vec<Fact>,
    ) -> Result<(), StoreError> {
        let Part::Changed(changed) = part else {
            return self.add_whole(reading, now_us, facts).await;
        };
        let Some(ids) = changed.ids.get(self.noun) else {
            return Ok(());
        };
        let ids = ids.iter().copied().map(Id::from_raw);
        let mut gone: HashSet<Id<K>> = ids.collect();
        let values = [changed.since.into(), self.noun.into()];
        for row in reading.rows(self.changed, &values).await? {
            if let Some((id, fact)) = self.read_or_skip(&row, now_us)? {
                gone.remove(&id);
                facts.push(fact);
            }
        }
        if let Some(event) = self.gone {
            facts.extend(gone.into_iter().map(event).map(Fact::Ready));
        }
        Ok(())
    }
}

/// Rows in memory at a time when all of a kind are read: of a million keys, only the facts are.
pub(crate) const ROWS: i64 = 5_000;

/// Selects the versions with a deployed revision that match a condition.
macro_rules! deployed {
    ($condition:literal) => {
        concat!(
            "select v.id, v.api, a.kind, a.name as api_name, \
            a.context, v.name, v.is_default, v.state, v.deployed, \
                case when v.is_default = 1 then (select json_group_array(o.name) \
                    from versions o where o.api = v.api and o.id <> v.id) end as other_versions, \
                r.configuration, ",
            deprecation_columns!(),
            " from versions v left join apis a on a.id = v.api \
                left join revisions r on r.id = v.deployed \
                left join versions n on n.id = v.successor \
                where v.deployed is not null and ",
            $condition
        )
    };
}

/// Versions. One with a missing API or revision is logged as damaged, too.
pub(super) const VERSIONS: Kind<id::Version> = Kind {
    noun: Noun::VERSION,
    whole: deployed!("v.id > $1 order by v.id limit $2"),
    changed: deployed!(
        "v.id in (select id from changes where sequence > $1 and noun = $2) order by v.id"
    ),
    read: version,
    gone: Some(Event::VersionGone),
};

pub(super) const PLANS: Kind<id::Plan> = Kind {
    noun: Noun::PLAN,
    whole: "select id, name, terms from plans where id > $1 \
        order by id limit $2",
    changed: "select id, name, terms from plans \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: plan,
    gone: Some(Event::PlanGone),
};

pub(super) const APPLICATIONS: Kind<id::Application> = Kind {
    noun: Noun::APPLICATION,
    whole: "select id, owner, limits, tokens_from_us from applications where id > $1 \
        order by id limit $2",
    changed: "select id, owner, limits, tokens_from_us from applications \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: application,
    gone: Some(Event::ApplicationGone),
};

pub(super) const SUBSCRIPTIONS: Kind<id::Subscription> = Kind {
    noun: Noun::SUBSCRIPTION,
    whole: "select id, application, version, plan, status, scopes from subscriptions \
        where ended_us is null and id > $1 \
        order by id limit $2",
    changed: "select id, application, version, plan, status, scopes from subscriptions \
        where ended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: subscription,
    gone: Some(Event::SubscriptionGone),
};

pub(super) const TOKENS: Kind<id::Token> = Kind {
    noun: Noun::TOKEN,
    whole: "select id, digest, client, application, environment, scopes, resource, issued_us, \
        expires_us from tokens where id > $1 \
        order by id limit $2",
    changed: "select id, digest, client, application, environment, scopes, resource, issued_us, \
            expires_us from tokens \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: |row, now_us| {
        if row.int("expires_us")? <= now_us {
            return Ok(None);
        }
        let token = read_token(row)?;
        Ok(Some((token.id, Fact::Ready(Event::Token(token)))))
    },
    gone: None,
};

pub(super) const REVOKED_TOKENS: Kind<id::Token> = Kind {
    noun: Noun::REVOKED_TOKEN,
    whole: "select id, expires_us from revoked_tokens where id > $1 \
        order by id limit $2",
    changed: "select id, expires_us from revoked_tokens \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: |row, now_us| {
        let (id, expires_us) = (row.id("id")?, row.int("expires_us")?);
        let fact = Fact::Ready(Event::TokenRevoked(RevokedToken { id, expires_us }));
        Ok((expires_us > now_us).then_some((id, fact)))
    },
    gone: None,
};

pub(super) const SIGNING_KEYS: Kind<id::SigningKey> = Kind {
    noun: Noun::SIGNING_KEY,
    whole: "select id, name, algorithm, public, ends_us from signing_keys where id > $1 \
        order by id limit $2",
    changed: "select id, name, algorithm, public, ends_us from signing_keys \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: signing_key,
    gone: Some(Event::SigningKeyGone),
};

/// In a whole, the last of each version for all of its responses: what a reader of the whole has
/// stored may be from before any of them.
pub(super) const CACHE_PURGES: Kind<id::CachePurge> = Kind {
    noun: Noun::CACHE_PURGE,
    whole: "select max(id) as id, version, '{}' as selector from cache_purges \
        group by version having max(id) > $1 order by max(id) limit $2",
    changed: "select id, version, selector from cache_purges \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: |row, _| {
        let id: Id<id::CachePurge> = row.id("id")?;
        let purge = CachePurge {
            version: row.id("version")?,
            number: id.raw().unsigned_abs(),
            selector: row.json("selector")?,
        };
        Ok(Some((id, Fact::Ready(Event::CachePurged(purge)))))
    },
    // A purge is deleted with its version.
    gone: None,
};

/// Reads the deployed revision of a version; `None` if the version's state keeps it off gateways.
fn version(row: &Row, _: i64) -> ReadFact<id::Version> {
    let context = row.text("context")?;
    let deprecation = row.deprecation()?.map(Deprecation::announced);
    let version = compile::Version {
        id: row.id("id")?,
        api: row.id("api")?,
        kind: row.word("kind", ApiKind::from_word)?,
        deprecation: deprecation.map(|it| ServedDeprecation {
            since_us: it.since_us,
            sunset_us: it.sunset_us,
            successor: it.successor.map(|it| format!("{context}/{}", it.name)),
        }),
        api_name: row.text("api_name")?,
        context,
        name: row.text("name")?,
        is_default: row.boolean("is_default")?,
        other_versions: row.json_or_null("other_versions")?.unwrap_or_default(),
        state: row.word("state", State::from_word)?,
        revision: row.id("deployed")?,
    };
    if version.state.at_gateway() == AtGateway::Absent {
        return Ok(None);
    }
    let id = version.id;
    let deployed = Deployed {
        version,
        configuration: row.json("configuration").map_err(|error| error.to_string()),
        contract: Vec::new(),
    };
    Ok(Some((id, Fact::Version(Box::new(deployed)))))
}

fn plan(row: &Row, _: i64) -> ReadFact<id::Plan> {
    let id = row.id("id")?;
    let fact = Fact::Plan {
        id,
        name: row.text("name")?,
        terms: row.json("terms")?,
    };
    Ok(Some((id, fact)))
}

fn application(row: &Row, _: i64) -> ReadFact<id::Application> {
    let id = row.id("id")?;
    let fact = Fact::Application {
        id,
        owner: row.id("owner")?,
        limits: row.json("limits")?,
        tokens_from_us: row.int("tokens_from_us")?,
    };
    Ok(Some((id, fact)))
}

fn subscription(row: &Row, _: i64) -> ReadFact<id::Subscription> {
    let id = row.id("id")?;
    let subscription = ServedSubscription {
        id,
        application: row.id("application")?,
        version: row.id("version")?,
        plan: row.id("plan")?,
        status: row.word("status", Status::from_word)?,
        scopes: row.granted_scopes()?,
    };
    Ok(Some((id, Fact::Ready(Event::Subscription(subscription)))))
}

/// Reads an opaque token; `tokens.rs` uses it, too.
pub(crate) fn read_token(row: &Row) -> Result<ServedToken, StoreError> {
    let subject = match row.id_or_null("client")? {
        Some(client) => TokenSubject::Client(client),
        None => {
            let environment = row.word("environment", Environment::from_word)?;
            TokenSubject::Application(row.id("application")?, environment)
        }
    };
    Ok(ServedToken {
        id: row.id("id")?,
        digest: row.digest("digest")?,
        subject,
        scopes: row.json("scopes")?,
        resource: row.text_or_null("resource")?,
        issued_us: row.int("issued_us")?,
        expires_us: row.int("expires_us")?,
    })
}

fn signing_key(row: &Row, now_us: i64) -> ReadFact<id::SigningKey> {
    let id = row.id("id")?;
    let has_ended = row.int_or_null("ends_us")?.is_some_and(|it| it <= now_us);
    let key = ServedSigningKey {
        id,
        name: row.text("name")?,
        algorithm: row.word("algorithm", Algorithm::from_word)?,
        public: row.bytes("public")?,
    };
    Ok((!has_ended).then_some((id, Fact::Ready(Event::SigningKey(key)))))
}
