//! Subscriptions.

use tollgate_model::feed::{Event, ServedSubscription};
use tollgate_model::id::{ApplicationId, SubscriptionId, UserId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use super::fixture::{application, enter, facts, id, new_subscription, plan, published};
use super::fixture::{part, subscription, user, write};
use crate::feed::Fact;
use crate::plans::Plan;
use crate::subscriptions::{self, Concerning, NewSubscription, Wanted};
use crate::{Store, StoreError, feed};

/// The objects that a subscription needs.
struct Given {
    owner: UserId,
    plan: Plan,
    version: VersionId,
    application: ApplicationId,
}

async fn given(store: &Store) -> Given {
    let owner = user(store, "ada").await.id;
    let plan = plan(store, "gold").await;
    let pets = published(store, owner, "/pets", &[plan.id]).await;
    let program = application(store, owner, "program").await;
    Given {
        owner,
        plan,
        version: pets.version.id,
        application: program.id,
    }
}

async fn create(
    store: &Store,
    new: &NewSubscription,
) -> Result<subscriptions::Subscription, StoreError> {
    write(store, async |tx| subscriptions::create(tx, new).await).await
}

async fn end(store: &Store, id: SubscriptionId) -> Result<(), StoreError> {
    write(store, async |tx| subscriptions::end(tx, id, 80).await).await
}

async fn set_status(store: &Store, id: SubscriptionId, status: Status) -> Result<(), StoreError> {
    write(store, async |tx| {
        subscriptions::set_status(tx, id, status, Some("because")).await
    })
    .await
}

pub(crate) async fn a_subscription_reads_back_and_is_noted(store: &Store) {
    let given = given(store).await;
    let before = feed::last(store).await.unwrap();
    let made = subscription(store, given.application, given.version, given.plan.id).await;
    assert_eq!(made.status, Status::Active);
    assert_eq!(subscriptions::by_id(store, made.id).await.unwrap(), made);
    let expected = Fact::Ready(Event::Subscription(ServedSubscription {
        id: made.id,
        application: given.application,
        version: given.version,
        plan: given.plan.id,
        status: Status::Active,
        scopes: Vec::new(),
    }));
    assert_eq!(facts(store, before).await, [expected]);

    let before = feed::last(store).await.unwrap();
    end(store, made.id).await.unwrap();
    assert_eq!(
        facts(store, before).await,
        [Fact::Ready(Event::SubscriptionGone(made.id))]
    );
    let again = end(store, made.id).await.unwrap_err();
    assert!(matches!(again, StoreError::NotFound("subscription")));
}

pub(crate) async fn granted_scopes_are_in_the_feed_and_end_with_their_subscription(store: &Store) {
    let given = given(store).await;
    let made = subscription(store, given.application, given.version, given.plan.id).await;
    let set = async |scopes: &[String]| {
        write(store, async |tx| {
            subscriptions::set_scopes(tx, made.id, scopes).await
        })
        .await
    };
    for scopes in [vec!["admin".to_owned(), "write".to_owned()], Vec::new()] {
        let before = feed::last(store).await.unwrap();
        set(&scopes).await.unwrap();
        let changed = facts(store, before).await;
        let [Fact::Ready(Event::Subscription(served))] = &changed[..] else {
            panic!("only the subscription is in the feed: {changed:?}");
        };
        assert_eq!(served.scopes, scopes);
        let named = subscriptions::named(store, made.id).await.unwrap();
        assert_eq!(named.subscription.scopes, scopes);
        let granted = subscriptions::granted(store, given.application, given.version).await;
        assert_eq!(granted.unwrap(), scopes);
    }
    set(&["admin".to_owned()]).await.unwrap();
    end(store, made.id).await.unwrap();
    let ended = set(&[]).await.unwrap_err();
    assert!(matches!(ended, StoreError::NotFound("subscription")));
    let granted = subscriptions::granted(store, given.application, given.version).await;
    assert!(granted.unwrap().is_empty());
    let back = subscription(store, given.application, given.version, given.plan.id).await;
    assert!(
        back.scopes.is_empty(),
        "a new subscription requests scopes again"
    );
    let mut new = new_subscription(given.application, given.version, given.plan.id);
    new.scopes = vec!["admin".to_owned()];
    end(store, back.id).await.unwrap();
    let moved = create(store, &new).await.unwrap();
    assert_eq!(subscriptions::by_id(store, moved.id).await.unwrap(), moved);
    assert_eq!(moved.scopes, new.scopes);
}

pub(crate) async fn one_subscription_is_live_per_application_and_version(store: &Store) {
    let given = given(store).await;
    subscription(store, given.application, given.version, given.plan.id).await;
    let second = new_subscription(given.application, given.version, given.plan.id);
    let taken = create(store, &second).await.unwrap_err();
    assert!(
        matches!(
            taken,
            StoreError::Taken {
                field: "/version",
                ..
            }
        ),
        "{taken:?}"
    );
}

pub(crate) async fn an_application_that_unsubscribes_while_blocked_stays_blocked(store: &Store) {
    let given = given(store).await;
    let because = Some("because");
    for (last, status, reason) in [
        (Status::Blocked, Status::Blocked, because),
        (
            Status::BlockedProduction,
            Status::BlockedProduction,
            because,
        ),
        (Status::Rejected, Status::Pending, None),
        (Status::Pending, Status::Pending, because),
    ] {
        let live = subscription(store, given.application, given.version, given.plan.id).await;
        set_status(store, live.id, last).await.unwrap();
        end(store, live.id).await.unwrap();
        let back = subscription(store, given.application, given.version, given.plan.id).await;
        assert_eq!(back.status, status);
        let read = subscriptions::named(store, back.id).await.unwrap();
        assert_eq!(read.subscription.status, status);
        assert_eq!(read.subscription.reason.as_deref(), reason);
        // Active again, for the next status of the loop.
        set_status(store, back.id, Status::Active).await.unwrap();
        end(store, back.id).await.unwrap();
    }
}

pub(crate) async fn an_application_that_unsubscribes_while_active_starts_anew(store: &Store) {
    let given = given(store).await;
    let live = subscription(store, given.application, given.version, given.plan.id).await;
    end(store, live.id).await.unwrap();
    let mut new = new_subscription(given.application, given.version, given.plan.id);
    new.status = Status::Pending;
    let back = create(store, &new).await.unwrap();
    assert_eq!(back.status, Status::Pending);
}

pub(crate) async fn it_needs_a_published_version_and_an_offered_plan(store: &Store) {
    let given = given(store).await;
    let other = plan(store, "other").await;
    let unoffered = new_subscription(given.application, given.version, other.id);
    let refused = create(store, &unoffered).await.unwrap_err();
    assert!(matches!(refused, StoreError::Stale(_)), "{refused:?}");
    let nobody = new_subscription(id(), given.version, given.plan.id);
    let refused = create(store, &nobody).await.unwrap_err();
    assert!(matches!(refused, StoreError::NotFound(_)), "{refused:?}");
    enter(store, given.version, State::Published, State::Blocked).await;
    let late = new_subscription(given.application, given.version, given.plan.id);
    let refused = create(store, &late).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::Stale("version")),
        "{refused:?}"
    );
}

pub(crate) async fn status_and_plan_change_while_it_lives(store: &Store) {
    let given = given(store).await;
    let tin = plan(store, "tin").await;
    let live = subscription(store, given.application, given.version, given.plan.id).await;
    let set_plan = async |plan| {
        write(store, async |tx| {
            subscriptions::set_plan(tx, live.id, plan).await
        })
        .await
    };
    let unoffered = set_plan(tin.id).await.unwrap_err();
    assert!(matches!(unoffered, StoreError::Stale(_)));
    write(store, async |tx| {
        crate::versions::set_plans(tx, given.version, &[tin.id]).await
    })
    .await
    .unwrap();
    let before = feed::last(store).await.unwrap();
    set_plan(tin.id).await.unwrap();
    set_status(store, live.id, Status::BlockedProduction)
        .await
        .unwrap();
    let expected = Fact::Ready(Event::Subscription(ServedSubscription {
        id: live.id,
        application: given.application,
        version: given.version,
        plan: tin.id,
        status: Status::BlockedProduction,
        scopes: Vec::new(),
    }));
    assert_eq!(facts(store, before).await, [expected]);
    end(store, live.id).await.unwrap();
    set_plan(tin.id).await.unwrap_err();
    set_status(store, live.id, Status::Active)
        .await
        .unwrap_err();
}

/// Live subscriptions of two users, each of whom consumes and publishes.
struct Listed {
    ada: UserId,
    ben: UserId,
    /// Ada's application.
    application: ApplicationId,
    /// Ben's version.
    other: VersionId,
    /// Of Ada's application to her own version.
    one: SubscriptionId,
    /// Of Ada's application to Ben's version.
    two: SubscriptionId,
    /// Of Ben's application to his own version; pending.
    three: SubscriptionId,
}

/// Creates these subscriptions, and one that has ended.
async fn listed(store: &Store) -> Listed {
    let given = given(store).await;
    let ben = user(store, "ben").await.id;
    let other = published(store, ben, "/other", &[given.plan.id]).await;
    let bens = application(store, ben, "bens").await;
    let (plan, other) = (given.plan.id, other.version.id);
    let one = subscription(store, given.application, given.version, plan).await;
    let two = subscription(store, given.application, other, plan).await;
    let three = subscription(store, bens.id, other, plan).await;
    let ended = subscription(store, bens.id, given.version, plan).await;
    end(store, ended.id).await.unwrap();
    set_status(store, three.id, Status::Pending).await.unwrap();
    Listed {
        ada: given.owner,
        ben,
        application: given.application,
        other,
        one: one.id,
        two: two.id,
        three: three.id,
    }
}

/// Returns the first two subscriptions after one.
async fn found(
    store: &Store,
    wanted: Wanted<'_>,
    after: Option<SubscriptionId>,
) -> Vec<SubscriptionId> {
    let page = subscriptions::find(store, wanted, &part(after, 2)).await;
    let rows = page.unwrap().rows.into_iter();
    rows.map(|it| it.subscription.id).collect()
}

pub(crate) async fn lists_filter_and_page(store: &Store) {
    let given = listed(store).await;
    let all = Wanted::default();
    assert_eq!(found(store, all, None).await, [given.one, given.two]);
    assert_eq!(found(store, all, Some(given.two)).await, [given.three]);
    let pending = Wanted {
        status: Some(Status::Pending),
        ..all
    };
    assert_eq!(found(store, pending, None).await, [given.three]);
    let application = Some(given.application);
    let of = Wanted { application, ..all };
    assert_eq!(found(store, of, Some(given.one)).await, [given.two]);
    let none = Wanted {
        application,
        ..pending
    };
    assert_eq!(found(store, none, None).await, []);
    let version = Some(given.other);
    assert_eq!(
        found(store, Wanted { version, ..all }, None).await,
        [given.two, given.three]
    );
    assert_eq!(
        found(store, Wanted { version, ..of }, None).await,
        [given.two]
    );
    let named = Wanted {
        pattern: Some("%bens%other%"),
        ..all
    };
    assert_eq!(found(store, named, None).await, [given.three]);
}

pub(crate) async fn lists_show_subscriptions_of_a_consumer_or_a_publisher(store: &Store) {
    let given = listed(store).await;
    let seen_by = |consumer, publisher| Wanted {
        seen_by: Some(Concerning {
            consumer,
            publisher,
        }),
        ..Wanted::default()
    };
    let (ada, ben) = (Some(given.ada), Some(given.ben));
    assert_eq!(found(store, seen_by(ben, None), None).await, [given.three]);
    assert_eq!(
        found(store, seen_by(ada, None), None).await,
        [given.one, given.two]
    );
    assert_eq!(found(store, seen_by(None, ada), None).await, [given.one]);
    assert_eq!(
        found(store, seen_by(ada, ben), Some(given.one)).await,
        [given.two, given.three]
    );
    assert_eq!(found(store, seen_by(None, None), None).await, []);
    let between = |publisher| Wanted {
        application: Some(given.application),
        ..seen_by(None, publisher)
    };
    assert_eq!(found(store, between(ada), None).await, [given.one]);
    assert_eq!(found(store, between(ben), None).await, [given.two]);
}
