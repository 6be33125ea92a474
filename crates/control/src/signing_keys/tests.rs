use tollgate_model::algorithm::Algorithm;
use tollgate_model::user::Role;
use tollgate_store::signing_keys::{self, SigningKey, Times};

use crate::harness::{House, NOW_US};

#[tokio::test]
async fn keys_are_listed_with_their_state_and_revoked() {
    const HOUR_US: i64 = 3_600 * 1_000_000;
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let store = &house.control.store;
    let mut tx = store.write().await.unwrap();
    for (name, from_us, until_us, ends_us) in [
        ("ended", -9, Some(-5), Some(0)),
        ("old", -5, Some(0), Some(1)),
        ("now", 0, Some(1), None),
        ("next", 1, None, None),
    ] {
        let at = |hours: i64| NOW_US + hours * HOUR_US;
        let key = SigningKey {
            id: house.control.id().unwrap(),
            name: name.to_owned(),
            algorithm: Algorithm::Es256,
            public: vec![4; 65],
            created_us: NOW_US,
            times: Times {
                signs_from_us: at(from_us),
                signs_until_us: until_us.map(at),
                ends_us: ends_us.map(at),
            },
        };
        signing_keys::create(&mut tx, &key, b"private")
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let list = house
        .get("/api/v1/signing-keys")
        .by(&root)
        .await
        .expect(200);
    let states: Vec<_> = (0..3)
        .map(|at| {
            let text = |member| list.text(&format!("/items/{at}/{member}")).to_owned();
            (text("name"), text("state"))
        })
        .collect();
    let expected = [("old", "retired"), ("now", "signing"), ("next", "next")];
    let expected = expected.map(|(name, state)| (name.to_owned(), state.to_owned()));
    assert_eq!(states, expected);
    assert_eq!(list.text("/items/0/algorithm"), "ES256");
    assert_eq!(list.text("/items/0/ends_at"), "2026-09-21T15:13:20Z");
    assert!(!list.body.to_string().contains("private"));

    let path = format!("/api/v1/signing-keys/{}", list.text("/items/1/id"));
    house.delete(&path).by(&root).await.expect(204);
    let again = house.delete(&path).by(&root).await;
    assert_eq!(again.problem(), (404, "signing_key.unknown"));
    let list = house.get("/api/v1/signing-keys").by(&root).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 2);
}
