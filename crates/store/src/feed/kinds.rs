//! The kinds of nouns that gateways hold: how all of a kind are read, how those that changed, and
//! what a row says. The two statements of a kind differ in their last condition only.

use std::collections::HashSet;

use tollgate_model::api::Kind as ApiKind;
use tollgate_model::compile;
use tollgate_model::credential::Environment;
use tollgate_model::feed::{ServedKey, ServedSubscription};
use tollgate_model::id::{self, Id};
use tollgate_model::lifecycle::{AtGateway, State};
use tollgate_model::subscription::Status;

use super::{Deployed, Fact, Noun};
use crate::StoreError;
use crate::reading::Reading;
use crate::row::Row;

/// What a row says of a noun; nothing where gateways do not hold it.
type Said<K> = Result<Option<(Id<K>, Fact)>, StoreError>;

/// How nouns of one kind are read.
pub(super) struct Kind<K> {
    /// Its word in `changes`.
    noun: &'static str,
    /// Rows of all.
    whole: &'static str,
    /// Rows of those that changed after `$1`; `$2` is the word.
    changed: &'static str,
    /// What a row says.
    read: fn(&Row) -> Said<K>,
    /// What is said of one without a row.
    gone: fn(Id<K>) -> Fact,
}

impl<K: id::Kind> Kind<K> {
    /// What a row says. One that is damaged is left out and told: it must not keep the others from
    /// gateways, which refuse what depends on it.
    fn said(&self, row: &Row) -> Said<K> {
        match (self.read)(row) {
            Err(StoreError::Corrupt(detail)) => {
                let (noun, id) = (self.noun, row.id::<K>("id")?);
                tracing::error!(noun, %id, detail, "the {noun} {id} is left out: {detail}");
                Ok(None)
            }
            said => said,
        }
    }

    pub(super) async fn whole(
        &self,
        reading: &mut Reading,
        facts: &mut Vec<Fact>,
    ) -> Result<(), StoreError> {
        for row in reading.rows(self.whole, &[]).await? {
            facts.extend(self.said(&row)?.map(|(_, fact)| fact));
        }
        Ok(())
    }

    pub(super) async fn changed(
        &self,
        reading: &mut Reading,
        since: i64,
        facts: &mut Vec<Fact>,
    ) -> Result<(), StoreError> {
        const IDS: &str = "select distinct id from changes where sequence > $1 and noun = $2";
        let values = [since.into(), self.noun.into()];
        let mut gone: HashSet<Id<K>> = HashSet::new();
        for row in reading.rows(IDS, &values).await? {
            gone.insert(row.id("id")?);
        }
        for row in reading.rows(self.changed, &values).await? {
            if let Some((id, fact)) = self.said(&row)? {
                gone.remove(&id);
                facts.push(fact);
            }
        }
        facts.extend(gone.into_iter().map(self.gone));
        Ok(())
    }
}

/// A version whose API or revision is lost is told too, as damaged.
pub(super) const VERSIONS: Kind<id::Version> = Kind {
    noun: Noun::VERSION,
    whole: "select v.id, v.api, a.kind, a.context, v.name, v.is_default, v.state, v.deployed, \
            r.configuration \
        from versions v left join apis a on a.id = v.api \
        left join revisions r on r.id = v.deployed \
        where v.deployed is not null order by v.id",
    changed: "select v.id, v.api, a.kind, a.context, v.name, v.is_default, v.state, v.deployed, \
            r.configuration \
        from versions v left join apis a on a.id = v.api \
        left join revisions r on r.id = v.deployed \
        where v.deployed is not null \
        and v.id in (select id from changes where sequence > $1 and noun = $2) order by v.id",
    read: version,
    gone: Fact::VersionGone,
};

pub(super) const PLANS: Kind<id::Plan> = Kind {
    noun: Noun::PLAN,
    whole: "select id, name, terms from plans order by id",
    changed: "select id, name, terms from plans \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: plan,
    gone: Fact::PlanGone,
};

pub(super) const APPLICATIONS: Kind<id::Application> = Kind {
    noun: Noun::APPLICATION,
    whole: "select id, limits from applications order by id",
    changed: "select id, limits from applications \
        where id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: application,
    gone: Fact::ApplicationGone,
};

pub(super) const SUBSCRIPTIONS: Kind<id::Subscription> = Kind {
    noun: Noun::SUBSCRIPTION,
    whole: "select id, application, version, plan, status from subscriptions \
        where ended_us is null order by id",
    changed: "select id, application, version, plan, status from subscriptions \
        where ended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: subscription,
    gone: Fact::SubscriptionGone,
};

pub(super) const KEYS: Kind<id::ApiKey> = Kind {
    noun: Noun::API_KEY,
    whole: "select id, digest, application, environment, not_before_us, expires_us from api_keys \
        where revoked_us is null and suspended_us is null order by id",
    changed: "select id, digest, application, environment, not_before_us, expires_us \
        from api_keys where revoked_us is null and suspended_us is null \
        and id in (select id from changes where sequence > $1 and noun = $2) order by id",
    read: key,
    gone: Fact::KeyGone,
};

/// What is deployed of a version, unless its state keeps it off the gateways.
fn version(row: &Row) -> Said<id::Version> {
    let version = compile::Version {
        id: row.id("id")?,
        api: row.id("api")?,
        kind: row.word("kind", ApiKind::from_word)?,
        context: row.text("context")?,
        name: row.text("name")?,
        is_default: row.boolean("is_default")?,
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

fn plan(row: &Row) -> Said<id::Plan> {
    let id = row.id("id")?;
    let fact = Fact::Plan {
        id,
        name: row.text("name")?,
        terms: row.json("terms")?,
    };
    Ok(Some((id, fact)))
}

fn application(row: &Row) -> Said<id::Application> {
    let id = row.id("id")?;
    let limits = row.json("limits")?;
    Ok(Some((id, Fact::Application { id, limits })))
}

fn subscription(row: &Row) -> Said<id::Subscription> {
    let id = row.id("id")?;
    let subscription = ServedSubscription {
        id,
        application: row.id("application")?,
        version: row.id("version")?,
        plan: row.id("plan")?,
        status: row.word("status", Status::from_word)?,
    };
    Ok(Some((id, Fact::Subscription(subscription))))
}

fn key(row: &Row) -> Said<id::ApiKey> {
    let id = row.id("id")?;
    let key = ServedKey {
        id,
        digest: row.digest("digest")?,
        application: row.id("application")?,
        environment: row.word("environment", Environment::from_word)?,
        not_before_us: row.int_or_null("not_before_us")?,
        expires_us: row.int_or_null("expires_us")?,
    };
    Ok(Some((id, Fact::Key(key))))
}
