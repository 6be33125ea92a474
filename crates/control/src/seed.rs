//! Initial data of a new installation: the default plans and the first administrator. Each start
//! prints the administrator's one-time password until somebody has signed in with it.

#![expect(
    clippy::disallowed_methods,
    reason = "seeds are written before any request"
)]

use tollgate_model::credential::access_token_end_max;
use tollgate_model::id::{Id, PlanId, UserId};
use tollgate_model::plan::{ANONYMOUS, Dimension, Limit, Per, PlanTerms, Window};
use tollgate_model::user::Role;
use tollgate_store::plans::{self, Plan};
use tollgate_store::users::{self, User, UserChange};
use tollgate_store::{Store, StoreError, Tx, access_tokens, sessions, settings};
use tollgate_tokens::password;

use crate::random::{self, NoRandom};

/// Setting that marks the seeds as written: a deleted default plan stays deleted.
const SEEDED: &str = "seeded";
/// The same for the plan [`ANONYMOUS`], which earlier releases did not create.
const SEEDED_ANONYMOUS: &str = "seeded_anonymous";
/// Setting that holds the first administrator's one-time password until it is used: the user's id,
/// a space, the password.
const FIRST_PASSWORD: &str = "first_password";
/// Name of the first administrator.
pub const ADMINISTRATOR: &str = "administrator";

/// The first administrator's one-time password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstPassword {
    /// The name to sign in with.
    pub name: String,
    /// The password, which must be changed after the first sign-in.
    pub password: String,
}

/// An error while writing the seeds.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The store failed.
    #[error("the store could not be used")]
    Store(#[from] StoreError),
    /// The system returned no random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

/// Writes the default plans and the first administrator unless they have been written before.
/// Hashes a password if it writes, which may take tens of milliseconds.
///
/// # Errors
/// [`SeedError`]; nothing is written then.
pub async fn seed(store: &Store, now_us: i64) -> Result<(), SeedError> {
    if is_sown(store).await? {
        return write_anonymous_plan(store, now_us).await;
    }
    let plans = default_plans(now_us)?;
    let one_time = OneTime::new()?;
    let mut tx = store.write().await?;
    for plan in plans {
        plans::create(&mut tx, &plan).await?;
    }
    put_administrator(store, &mut tx, one_time, now_us).await?;
    settings::put(&mut tx, SEEDED, "1").await?;
    settings::put(&mut tx, SEEDED_ANONYMOUS, "1").await?;
    tx.commit().await?;
    Ok(())
}

/// Writes the plan of anonymous calls once for an installation of an earlier release. An existing
/// plan of that name is left as it is.
async fn write_anonymous_plan(store: &Store, now_us: i64) -> Result<(), SeedError> {
    if settings::by_name(store, SEEDED_ANONYMOUS).await?.is_some() {
        return Ok(());
    }
    let plan = plan(&ANONYMOUS_PLAN, id(now_us)?, now_us);
    let mut tx = store.write().await?;
    if plans::by_name(store, ANONYMOUS).await?.is_none() {
        plans::create(&mut tx, &plan).await?;
    }
    settings::put(&mut tx, SEEDED_ANONYMOUS, "1").await?;
    tx.commit().await?;
    Ok(())
}

/// Returns whether the seeds have been written, which happens once: the installation has been used.
///
/// # Errors
/// Fails if the database read fails.
pub async fn is_sown(store: &Store) -> Result<bool, StoreError> {
    Ok(settings::by_name(store, SEEDED).await?.is_some())
}

/// Returns the first administrator's one-time password until somebody has signed in with it.
///
/// # Errors
/// Fails if the database read fails.
pub async fn first_password(store: &Store) -> Result<Option<FirstPassword>, StoreError> {
    let Some(kept) = settings::by_name(store, FIRST_PASSWORD).await? else {
        return Ok(None);
    };
    let Some((Ok(id), password)) = kept.split_once(' ').map(|(id, rest)| (id.parse(), rest)) else {
        return Ok(None);
    };
    match users::by_id(store, id).await {
        Ok(user) if user.one_time => Ok(Some(FirstPassword {
            name: user.name,
            password: password.to_owned(),
        })),
        Ok(_) | Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sets an expiry for every access token without one, as earlier releases created them: the latest
/// that a token created at `now_us` could have. Writes nothing if there is no such token, so that
/// later starts need no disk space.
///
/// # Errors
/// Fails if the database write fails.
pub async fn end_endless_tokens(
    store: &Store,
    now_us: i64,
    days_max: u32,
) -> Result<(), StoreError> {
    if !access_tokens::has_endless(store).await? {
        return Ok(());
    }
    let mut tx = store.write().await?;
    let end_us = access_token_end_max(now_us, days_max);
    let ended = access_tokens::end_endless(&mut tx, end_us).await?;
    tx.commit().await?;
    tracing::info!(
        ended,
        days_max,
        "set an expiry for {ended} access tokens without one"
    );
    Ok(())
}

/// Gives the user `administrator` a new one-time password, the role and access, and ends its
/// sessions and access tokens: the recovery path for the holder of the data folder. Without such
/// a user, a user with an equal folded name gets them, since the name `administrator` could not be
/// created beside it; without either, the user is created.
///
/// # Errors
/// [`SeedError`]; nothing is changed then.
pub async fn reset_administrator(store: &Store, now_us: i64) -> Result<FirstPassword, SeedError> {
    let one_time = OneTime::new()?;
    let mut tx = store.write().await?;
    let first = put_administrator(store, &mut tx, one_time, now_us).await?;
    tx.commit().await?;
    Ok(first)
}

/// Deletes the stored one-time password of a user who has signed in with it or gets another one.
/// The password stays valid until it is changed.
pub(crate) async fn forget_first_password(
    store: &Store,
    tx: &mut Tx,
    user: UserId,
) -> Result<(), StoreError> {
    let kept = settings::by_name(store, FIRST_PASSWORD).await?;
    if kept.is_some_and(|kept| kept.starts_with(&format!("{user} "))) {
        settings::delete(tx, FIRST_PASSWORD).await?;
    }
    Ok(())
}

/// A new one-time password and its hash.
struct OneTime {
    text: String,
    phc: String,
}

impl OneTime {
    fn new() -> Result<Self, NoRandom> {
        let text = password::one_time(random::bytes()?);
        let phc = password::hash(&text, random::bytes()?);
        Ok(Self { text, phc })
    }
}

async fn put_administrator(
    store: &Store,
    tx: &mut Tx,
    one_time: OneTime,
    now_us: i64,
) -> Result<FirstPassword, SeedError> {
    let OneTime { text, phc } = one_time;
    let (id, name) = match users::by_folded_name(store, ADMINISTRATOR).await? {
        Some(mut user) => {
            if !user.roles.contains(&Role::Administrator) {
                user.roles.push(Role::Administrator);
            }
            let change = UserChange {
                roles: user.roles,
                disabled: false,
            };
            users::update(tx, user.id, &change).await?;
            users::reset_password(tx, user.id, &phc).await?;
            sessions::delete_of_user(tx, user.id, None).await?;
            access_tokens::delete_of_user(tx, user.id).await?;
            (user.id, user.name)
        }
        None => {
            let user = User {
                id: id(now_us)?,
                name: ADMINISTRATOR.to_owned(),
                one_time: true,
                roles: vec![Role::Administrator],
                disabled: false,
                created_us: now_us,
            };
            users::create(tx, &user, &phc).await?;
            (user.id, user.name)
        }
    };
    settings::put(tx, FIRST_PASSWORD, &format!("{id} {text}")).await?;
    Ok(FirstPassword {
        name,
        password: text,
    })
}

/// A plan to write.
struct DefaultPlan {
    name: &'static str,
    title: &'static str,
    /// Its limits, each with its amount a minute.
    limits: &'static [(Per, u64)],
}

impl DefaultPlan {
    const fn new(name: &'static str, title: &'static str, limits: &'static [(Per, u64)]) -> Self {
        Self {
            name,
            title,
            limits,
        }
    }
}

const DEFAULT_PLANS: [DefaultPlan; 4] = [
    DefaultPlan::new("bronze", "Bronze", &[(Per::SUBSCRIPTION, 1_000)]),
    DefaultPlan::new("silver", "Silver", &[(Per::SUBSCRIPTION, 2_000)]),
    DefaultPlan::new("gold", "Gold", &[(Per::SUBSCRIPTION, 5_000)]),
    DefaultPlan::new("unlimited", "Unlimited", &[]),
];

/// The plan of anonymous calls, which have no subscription: limits of each address, and of all
/// callers of a version together.
const ANONYMOUS_PLAN: DefaultPlan = DefaultPlan::new(
    ANONYMOUS,
    "Anonymous",
    &[(Per::API.and(Dimension::Address), 60), (Per::API, 600)],
);

/// Returns the default plans: the usual ones, with calls per minute and subscription, and the plan
/// of anonymous calls.
fn default_plans(now_us: i64) -> Result<Vec<Plan>, NoRandom> {
    let plans = DEFAULT_PLANS.into_iter().chain([ANONYMOUS_PLAN]);
    // A millisecond apart, so that they are listed in this order.
    let plans = plans.zip(0_i64..);
    let plans = plans.map(|(it, place)| Ok(plan(&it, id(now_us + place * 1_000)?, now_us)));
    plans.collect()
}

fn plan(plan: &DefaultPlan, id: PlanId, now_us: i64) -> Plan {
    let a_minute = plan.limits.iter();
    let limits = a_minute.map(|&(per, amount)| Limit::requests(per, amount, Window::MINUTE));
    Plan {
        id,
        name: plan.name.to_owned(),
        title: plan.title.to_owned(),
        description: String::new(),
        terms: PlanTerms {
            unlimited: plan.limits.is_empty(),
            limits: limits.collect(),
            count_failures: true,
        },
        created_us: now_us,
        updated_us: now_us,
        etag: 1,
    }
}

fn id<K>(now_us: i64) -> Result<Id<K>, NoRandom> {
    let now_ms = u64::try_from(now_us / 1_000).unwrap_or_default();
    Ok(Id::new(now_ms, u32::from_be_bytes(random::bytes()?)))
}

#[cfg(test)]
mod tests;
