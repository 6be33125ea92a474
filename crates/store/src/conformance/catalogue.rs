//! The catalogue: filters, order, and times with 10,000 versions.

use std::time::{Duration, Instant};

use tollgate_model::api::Kind;
use tollgate_model::id::{PlanId, UserId, Version as VersionKind, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use super::fixture::{api, application, id, part, plan, published, subscription, user, write};
use crate::catalogue::{self, OWN_MAX, Wanted};
use crate::part::{Order, Part, name_key, pattern};
use crate::{Store, users};

const PUBLISHED: Wanted<'static> = Wanted {
    states: &[State::Published],
    kind: None,
    pattern: None,
};

/// Returns the names on a page, and the number of all.
async fn names(store: &Store, wanted: Wanted<'_>, part: &Part<VersionKind>) -> (Vec<String>, u64) {
    let found = catalogue::find(store, wanted, part).await.unwrap();
    let names = found.rows.into_iter().map(|place| place.name);
    (names.collect(), found.total)
}

/// The published versions and their owners.
struct Given {
    owner: UserId,
    plan: PlanId,
    versions: Vec<VersionId>,
}

/// Four published versions, named like their contexts, and one that is not published.
async fn given(store: &Store) -> Given {
    let owner = user(store, "ada").await.id;
    let plan = plan(store, "gold").await.id;
    let mut versions = Vec::new();
    for context in ["/pear", "/Apple", "/100%_fig", "/apple-pie"] {
        let new = published(store, owner, context, &[plan]).await;
        versions.push(new.version.id);
    }
    api(store, owner, "/hidden").await;
    Given {
        owner,
        plan,
        versions,
    }
}

pub(crate) async fn the_catalogue_is_sorted_and_read_in_parts(store: &Store) {
    given(store).await;
    let ordered = |order| Part {
        order,
        ..part(None, 9)
    };
    for (order, expected) in [
        (
            Order::Oldest,
            ["/pear", "/Apple", "/100%_fig", "/apple-pie"],
        ),
        (
            Order::Newest,
            ["/apple-pie", "/100%_fig", "/Apple", "/pear"],
        ),
        (Order::Name, ["/100%_fig", "/Apple", "/apple-pie", "/pear"]),
        (
            Order::NameBackwards,
            ["/pear", "/apple-pie", "/Apple", "/100%_fig"],
        ),
    ] {
        let (all, total) = names(store, PUBLISHED, &ordered(order)).await;
        assert_eq!((&all[..], total), (&expected.map(str::to_owned)[..], 4));
        // Each page begins where the one before ended, in every order.
        let mut place = Part {
            at_most: 1,
            ..ordered(order)
        };
        for name in expected {
            let found = catalogue::find(store, PUBLISHED, &place).await.unwrap();
            assert_eq!((&*found.rows[0].name, found.total), (name, 4), "{order:?}");
            place.after = Some((found.rows[0].version, name_key(name)));
        }
        let (rest, _) = names(store, PUBLISHED, &place).await;
        assert_eq!(rest, [""; 0], "{order:?}");
    }
}

pub(crate) async fn the_catalogue_is_searched_by_words_and_kind(store: &Store) {
    given(store).await;
    for (words, expected) in [
        ("APPLE", &["/Apple", "/apple-pie"][..]),
        ("apple  pie", &["/apple-pie"]),
        ("pie pear", &[]),
        ("%_", &["/100%_fig"]),
        ("_", &["/100%_fig"]),
        (
            "escription",
            &["/pear", "/Apple", "/100%_fig", "/apple-pie"],
        ),
        ("\\", &[]),
    ] {
        let pattern = pattern(words);
        let wanted = Wanted {
            pattern: Some(&pattern),
            ..PUBLISHED
        };
        let (found, total) = names(store, wanted, &part(None, 9)).await;
        assert_eq!(found, expected, "{words}");
        assert_eq!(total, expected.len() as u64);
    }
    let soap = Wanted {
        kind: Some(Kind::Soap),
        ..PUBLISHED
    };
    assert_eq!(names(store, soap, &part(None, 9)).await, (vec![], 0));
}

pub(crate) async fn entries_plans_and_names_are_read_for_several_ids(store: &Store) {
    let Given {
        owner,
        plan,
        versions,
    } = given(store).await;
    let gone = VersionId::from_raw(77);
    let shown = catalogue::entries(store, &[versions[2], gone, versions[0]]).await;
    let shown = shown.unwrap().into_iter();
    let shown: Vec<_> = shown
        .map(|entry| (entry.offer.api.name, entry.owner_name))
        .collect();
    let expected = ["/100%_fig", "/pear"].map(|name| (name.to_owned(), "ada".to_owned()));
    assert_eq!(shown, expected);
    let offers = catalogue::plans(store, &versions[..2]).await.unwrap();
    let offers: Vec<_> = offers.into_iter().map(|(id, plan)| (id, plan.id)).collect();
    assert_eq!(offers, [(versions[0], plan), (versions[1], plan)]);
    let called = users::names(store, &[owner, id()]).await.unwrap();
    assert_eq!(
        called.into_iter().collect::<Vec<_>>(),
        [(owner, "ada".to_owned())]
    );
}

pub(crate) async fn subscriptions_of_the_user_are_returned_per_version(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let gold = plan(store, "gold").await;
    let one = published(store, ada.id, "/one", &[gold.id])
        .await
        .version
        .id;
    let two = published(store, ada.id, "/two", &[gold.id])
        .await
        .version
        .id;
    let bens = application(store, ben.id, "bens").await;
    subscription(store, bens.id, one, gold.id).await;
    let mut own = Vec::new();
    for number in 0..=OWN_MAX {
        let adas = application(store, ada.id, &format!("ada's {number}")).await;
        own.push(subscription(store, adas.id, one, gold.id).await);
    }
    let of_two = subscription(store, own[0].application, two, gold.id).await;
    let seen = catalogue::of_owner(store, ada.id, &[one, two])
        .await
        .unwrap();
    assert_eq!(seen.len(), own.len(), "20 of one, and one of the other");
    let first = &seen[0];
    let shown = (&*first.application_name, &*first.plan_name, first.status);
    assert_eq!(shown, ("ada's 0", "gold", Status::Active));
    assert_eq!(seen.last().unwrap().id, of_two.id);
    let nobodys = catalogue::of_owner(store, id(), &[one]).await;
    assert_eq!(nobodys.unwrap(), []);
}

/// The bounds are acceptable for a page that a person waits for, in an unoptimised build.
pub(crate) async fn ten_thousand_versions_are_searched_at_once(store: &Store) {
    const APIS: &str = "with recursive n (i) as (select 1 union all select i + 1 from n \
            where i < 10000) \
        insert into apis (id, name, kind, context, description, owner, created_us) \
        select i, 'API ' || (i * 7919 % 10007), 'rest', '/c' || i, $1 || i, $2, i from n";
    const VERSIONS: &str = "insert into versions (id, api, name, state, is_default, draft, \
            draft_etag, deployed, created_us, updated_us) \
        select id, id, '1.0', 'published', 1, '{}', 1, null, id, id from apis";
    let ada = user(store, "ada").await;
    let text = "What it is about, in some words that somebody has written. ".repeat(10);
    let made = write(store, async |tx| {
        tx.execute(APIS, &[(&text).into(), ada.id.into()]).await?;
        tx.execute(VERSIONS, &[]).await
    });
    made.await.unwrap();
    let words = pattern("written. 99");
    let wanted = Wanted {
        pattern: Some(&words),
        ..PUBLISHED
    };
    for (wanted, total) in [(PUBLISHED, 10_000), (wanted, 280)] {
        for order in [
            Order::Oldest,
            Order::Newest,
            Order::Name,
            Order::NameBackwards,
        ] {
            let begun = Instant::now();
            let page = Part {
                order,
                ..part(None, 100)
            };
            let found = catalogue::find(store, wanted, &page).await.unwrap();
            let ids: Vec<_> = found.rows.iter().map(|place| place.version).collect();
            let shown = catalogue::entries(store, &ids).await.unwrap();
            assert_eq!((shown.len(), found.total), (100, total), "{order:?}");
            let took = begun.elapsed();
            assert!(took < Duration::from_millis(500), "{order:?}: {took:?}");
        }
    }
}
