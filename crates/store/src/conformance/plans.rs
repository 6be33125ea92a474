//! Plans.

use super::fixture::{application, configuration, facts, limit, new_plan, plan, published};
use super::fixture::{id, subscription, user, version_of, write};
use crate::feed::Fact;
use crate::plans::{self, PlanChange};
use crate::{Store, StoreError, feed, subscriptions, versions};
use tollgate_model::feed::Event;
use tollgate_model::plan::{Limit, Per};

pub(crate) async fn a_plan_reads_back_lists_by_page_and_is_noted(store: &Store) {
    let gold = plan(store, "gold").await;
    let bronze = plan(store, "bronze").await;
    assert_eq!(plans::by_id(store, gold.id).await.unwrap(), gold);
    let found = plans::by_name(store, "bronze").await.unwrap();
    assert_eq!(found, Some(bronze.clone()));
    assert_eq!(plans::by_name(store, "tin").await.unwrap(), None);
    assert_eq!(
        plans::list(store, None, 1).await.unwrap(),
        std::slice::from_ref(&gold)
    );
    let rest = plans::list(store, Some(gold.id), 5).await.unwrap();
    assert_eq!(rest, std::slice::from_ref(&bronze));
    let expected = [gold, bronze].map(|plan| Fact::Plan {
        id: plan.id,
        name: plan.name,
        terms: plan.terms,
    });
    assert_eq!(facts(store, 0).await, expected);
}

pub(crate) async fn a_plan_name_is_taken_once(store: &Store) {
    let gold = plan(store, "gold").await;
    let silver = plan(store, "silver").await;
    let twin = new_plan("gold");
    let created = write(store, async |tx| plans::create(tx, &twin).await).await;
    let renamed = write(store, async |tx| {
        plans::update(tx, silver.id, 1, &change("gold", 1), 9).await
    })
    .await
    .map(|_| ());
    for taken in [created, renamed] {
        let taken = taken.unwrap_err();
        assert!(
            matches!(taken, StoreError::Taken { field: "/name", .. }),
            "{taken:?}"
        );
    }
    assert_eq!(plans::by_name(store, "gold").await.unwrap(), Some(gold));
}

pub(crate) async fn a_plan_changes_only_with_its_latest_etag(store: &Store) {
    let gold = plan(store, "gold").await;
    let before = feed::last(store).await.unwrap();
    let etag = write(store, async |tx| {
        plans::update(tx, gold.id, 1, &change("gold", 99), 9).await
    });
    assert_eq!(etag.await.unwrap(), 2);
    let stale = write(store, async |tx| {
        plans::update(tx, gold.id, 1, &change("gold", 1), 10).await
    });
    assert!(matches!(
        stale.await.unwrap_err(),
        StoreError::Stale("plan")
    ));
    let absent = write(store, async |tx| {
        plans::update(tx, id(), 1, &change("x", 1), 10).await
    });
    assert!(matches!(
        absent.await.unwrap_err(),
        StoreError::NotFound("plan")
    ));
    let read = plans::by_id(store, gold.id).await.unwrap();
    assert_eq!((read.etag, read.updated_us), (2, 9));
    let expected = Fact::Plan {
        id: gold.id,
        name: "gold".to_owned(),
        terms: change("gold", 99).terms,
    };
    assert_eq!(facts(store, before).await, [expected]);
}

pub(crate) async fn a_plan_in_use_is_not_deleted(store: &Store) {
    let ada = user(store, "ada").await;
    let (gold, tin) = (plan(store, "gold").await, plan(store, "tin").await);
    let pets = published(store, ada.id, "/pets", &[gold.id, tin.id]).await;
    let program = application(store, ada.id, "program").await;
    let live = subscription(store, program.id, pets.version.id, gold.id).await;
    let delete = async || write(store, async |tx| plans::delete(tx, gold.id).await).await;
    assert!(matches!(delete().await.unwrap_err(), StoreError::Used(_)));
    write(store, async |tx| {
        versions::set_plans(tx, pets.version.id, &[tin.id]).await
    })
    .await
    .unwrap();
    assert!(matches!(delete().await.unwrap_err(), StoreError::Used(_)));
    write(store, async |tx| subscriptions::end(tx, live.id, 50).await)
        .await
        .unwrap();
    let before = feed::last(store).await.unwrap();
    delete().await.unwrap();
    assert_eq!(
        facts(store, before).await,
        [Fact::Ready(Event::PlanGone(gold.id))]
    );
    assert!(matches!(
        delete().await.unwrap_err(),
        StoreError::NotFound("plan")
    ));
}

pub(crate) async fn a_plan_that_limits_name_keeps_its_name(store: &Store) {
    let ada = user(store, "ada").await;
    let [gold, silver] = [plan(store, "gold").await, plan(store, "silver").await];
    let mut configuration = configuration(&["/pets"]);
    configuration.operations[0].limits = vec![Limit {
        per: Per::OPERATION,
        plans: Some(vec!["gold".into()]),
        ..limit(5)
    }];
    let version = version_of(store, ada.id, &configuration).await;
    let rename = async |name: &str| {
        write(store, async |tx| {
            let plan = plans::by_name(store, name).await?.unwrap();
            let renamed = change(&format!("{name}-2"), 1);
            plans::update(tx, plan.id, plan.etag, &renamed, 9).await
        })
        .await
    };
    let is_used = |result: Result<i64, StoreError>| matches!(result, Err(StoreError::Used(_)));
    assert!(is_used(rename("gold").await));
    let deleted = write(store, async |tx| plans::delete(tx, gold.id).await).await;
    assert!(is_used(deleted.map(|()| 0)));
    // Other plans, and other changes of this one, are free.
    rename("silver").await.unwrap();
    let same = change("gold", 7);
    write(store, async |tx| {
        plans::update(tx, gold.id, 1, &same, 9).await
    })
    .await
    .unwrap();
    // The deployed revision still names it when the draft no longer does.
    configuration.operations[0].limits.clear();
    write(store, async |tx| {
        versions::save_draft(tx, version, 2, &configuration, 9).await
    })
    .await
    .unwrap();
    assert!(is_used(rename("gold").await));
    assert_eq!(
        plans::by_id(store, silver.id).await.unwrap().name,
        "silver-2"
    );
}

fn change(name: &str, amount: u64) -> PlanChange {
    PlanChange {
        name: name.to_owned(),
        title: "New title".to_owned(),
        description: "New description".to_owned(),
        terms: tollgate_model::plan::PlanTerms {
            limits: vec![limit(amount)],
            unlimited: false,
            count_failures: true,
        },
    }
}
