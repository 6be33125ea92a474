use crate::harness::{House, NOW_US};

use super::*;

#[tokio::test]
async fn the_first_password_is_the_same_at_each_start_until_it_was_used() {
    let house = House::new().await;
    let store = &house.control.store;
    let first = first_password(store).await.unwrap().unwrap();
    seed(store, NOW_US).await.unwrap();
    assert_eq!(first_password(store).await.unwrap(), Some(first.clone()));

    let session = house.sign_in(&first.name, &first.password).await;
    assert_eq!(first_password(store).await.unwrap(), None);
    // It works again, should the first session be lost.
    house.sign_in(&first.name, &first.password).await;
    let change = serde_json::json!({"password": first.password, "new_password": "correct horse"});
    let answer = house
        .put("/api/v1/session/password", change)
        .during(&session)
        .await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

#[tokio::test]
async fn a_reset_lets_a_locked_out_administrator_sign_in_again() {
    let house = House::new().await;
    let store = &house.control.store;
    let root = house.person("root", &[Role::Administrator]).await;
    let administrator = users::by_name(store, ADMINISTRATOR).await.unwrap().unwrap();
    let path = format!("/api/v1/users/{}", administrator.id);
    let change = serde_json::json!({"roles": ["developer"], "disabled": true});
    assert_eq!(house.patch(&path, change).by(&root).await.status, 200);

    let reset = reset_administrator(store, NOW_US).await.unwrap();
    assert_eq!(first_password(store).await.unwrap().as_ref(), Some(&reset));
    let session = house.sign_in(&reset.name, &reset.password).await;
    assert!(session.password_change);
    let user = users::by_name(store, ADMINISTRATOR).await.unwrap().unwrap();
    assert_eq!(user.id, administrator.id);
    assert!(user.roles.contains(&Role::Administrator) && !user.disabled);
}

#[tokio::test]
async fn a_reset_is_for_a_user_who_keeps_the_name_taken_where_the_first_is_deleted() {
    let house = House::new().await;
    let store = &house.control.store;
    let root = house.person("root", &[Role::Administrator]).await;
    let first = users::by_name(store, ADMINISTRATOR).await.unwrap().unwrap();
    let path = format!("/api/v1/users/{}", first.id);
    assert_eq!(house.delete(&path).by(&root).await.status, 204);
    house.person("Administrator", &[Role::Developer]).await;

    let reset = reset_administrator(store, NOW_US).await.unwrap();
    assert_eq!(reset.name, "Administrator");
    assert_eq!(first_password(store).await.unwrap().as_ref(), Some(&reset));
    let session = house.sign_in(&reset.name, &reset.password).await;
    assert!(session.password_change);
    let user = users::by_name(store, &reset.name).await.unwrap().unwrap();
    assert_eq!(user.roles, [Role::Developer, Role::Administrator]);
}

#[tokio::test]
async fn a_deleted_default_plan_stays_deleted() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let plans = house.get("/api/v1/plans").by(&root).await;
    let names = plans.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|plan| plan["name"].clone());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["bronze", "silver", "gold", "unlimited", "anonymous"]
    );
    let bronze = format!("/api/v1/plans/{}", plans.text("/items/0/id"));
    assert_eq!(house.delete(&bronze).by(&root).await.status, 204);

    seed(&house.control.store, NOW_US).await.unwrap();
    assert_eq!(
        house.get(&bronze).by(&root).await.problem(),
        (404, "plan.unknown")
    );
}

#[tokio::test]
async fn an_earlier_installation_gets_the_plan_of_anonymous_calls_once() {
    let house = House::new().await;
    let store = &house.control.store;
    let plan = plans::by_name(store, ANONYMOUS).await.unwrap().unwrap();
    let limits = plan.terms.limits.iter().map(|it| (it.per, it.amount));
    let address = Per::API.and(Dimension::Address);
    assert_eq!(limits.collect::<Vec<_>>(), [(address, 60), (Per::API, 600)]);
    assert_eq!(plan.terms.faults(), []);
    // As an earlier release has left it.
    let forget = async |delete: Option<PlanId>| {
        let mut tx = store.write().await.unwrap();
        settings::delete(&mut tx, SEEDED_ANONYMOUS).await.unwrap();
        if let Some(id) = delete {
            plans::delete(&mut tx, id).await.unwrap();
        }
        tx.commit().await.unwrap();
    };
    forget(None).await;
    seed(store, NOW_US).await.unwrap();
    let same = plans::by_name(store, ANONYMOUS).await.unwrap().unwrap();
    assert_eq!(same, plan, "an existing plan of that name is kept");

    forget(Some(plan.id)).await;
    seed(store, NOW_US).await.unwrap();
    let made = plans::by_name(store, ANONYMOUS).await.unwrap().unwrap();
    assert_eq!(made.terms, plan.terms);
    let mut tx = store.write().await.unwrap();
    plans::delete(&mut tx, made.id).await.unwrap();
    tx.commit().await.unwrap();
    seed(store, NOW_US).await.unwrap();
    let deleted = plans::by_name(store, ANONYMOUS).await.unwrap();
    assert_eq!(deleted, None, "a deleted one stays deleted");
}
