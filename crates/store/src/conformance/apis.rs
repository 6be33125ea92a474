//! APIs.

use tollgate_model::feed::Event;
use tollgate_model::lifecycle::State;

use super::fixture::{api, enter, facts, id, key, new_api, plan, published, subscription};
use super::fixture::{application, part, user, write};
use crate::apis::{self, ApiChange, Wanted};
use crate::feed::Fact;
use crate::{Store, StoreError, documents, feed, owners, revisions, subscriptions, versions};

pub(crate) async fn an_api_comes_with_its_version_draft_and_document(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    assert_eq!(apis::by_id(store, pets.api.id).await.unwrap(), pets.api);

    let version = versions::by_id(store, pets.version.id).await.unwrap();
    assert_eq!(version.api, pets.api.id);
    assert_eq!((version.state, version.is_default), (State::Created, true));
    assert_eq!((version.deployed, version.deployed_number), (None, None));
    let draft = versions::draft(store, version.id).await.unwrap();
    assert_eq!((draft.configuration, draft.etag), (pets.version.draft, 1));
    let document = documents::of_draft(store, version.id).await.unwrap();
    assert_eq!(document, pets.document);
    // Nothing is deployed, so the feed has no facts.
    assert_eq!(facts(store, 0).await, []);
}

pub(crate) async fn an_api_name_is_taken_once(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let mut twin = new_api(ada.id, "/other");
    twin.api.name = pets.api.name.clone();
    let taken = write(store, async |tx| apis::create(tx, &twin).await).await;
    let taken = taken.unwrap_err();
    assert!(
        matches!(taken, StoreError::Taken { field: "/name", .. }),
        "{taken:?}"
    );
    let all = apis::find(store, Wanted::default(), &part(None, 9)).await;
    assert_eq!(all.unwrap().rows, [pets.api]);
}

pub(crate) async fn contexts_do_not_overlap(store: &Store) {
    let ada = user(store, "ada").await;
    api(store, ada.id, "/hr/people").await;
    let plain = api(store, ada.id, "/plain").await;
    for (context, overlaps) in [
        ("/hr/people", true),
        ("/hr", true),
        ("/hr/people/old", true),
        ("/hr/peoples", false),
        ("/hr/pay", false),
        ("/hrx", false),
        ("/h", false),
        ("/hr-2", false),
    ] {
        let new = new_api(ada.id, context);
        let made = write(store, async |tx| apis::create(tx, &new).await).await;
        let refused = matches!(
            made,
            Err(StoreError::Taken {
                field: "/context",
                ..
            })
        );
        assert_eq!(refused, overlaps, "{context}: {made:?}");
    }
    let change = |context: &str| ApiChange {
        name: "plain".to_owned(),
        context: context.to_owned(),
        description: String::new(),
        owner: ada.id,
    };
    let moved = write(store, async |tx| {
        apis::update(tx, plain.api.id, &change("/hr/pay/slips")).await
    });
    let refused = moved.await.unwrap_err();
    assert!(matches!(
        refused,
        StoreError::Taken {
            field: "/context",
            ..
        }
    ));
    // It does not overlap itself.
    write(store, async |tx| {
        apis::update(tx, plain.api.id, &change("/plain/deeper")).await
    })
    .await
    .unwrap();
}

pub(crate) async fn apis_list_by_page(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let one = api(store, ada.id, "/one").await.api;
    let two = api(store, ben.id, "/two").await.api;
    let three = api(store, ada.id, "/three").await.api;
    let (after, first) = (two.id, [one, two]);
    let page = async |after| {
        let page = apis::find(store, Wanted::default(), &part(after, 2)).await;
        let page = page.unwrap();
        assert_eq!(page.total, 3);
        page.rows
    };
    assert_eq!(page(None).await, first);
    assert_eq!(page(Some(after)).await, [three]);
}

pub(crate) async fn apis_are_listed_by_owner_and_by_the_states_of_their_versions(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let gold = plan(store, "gold").await;
    let own = api(store, ben.id, "/own").await.api.id;
    let open = published(store, ada.id, "/open", &[gold.id]).await;
    let closed = api(store, ada.id, "/closed").await;
    let ids = async |states: &[State], after| {
        let wanted = Wanted {
            seen_by: Some((ben.id, states)),
            ..Wanted::default()
        };
        let page = apis::find(store, wanted, &part(after, 9)).await;
        page.unwrap()
            .rows
            .iter()
            .map(|it| it.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&[], None).await, [own]);
    assert_eq!(ids(&[State::Published], None).await, [own, open.api.id]);
    assert_eq!(ids(&[State::Published], Some(own)).await, [open.api.id]);
    let any_in = async |api, states: &[State]| versions::any_in(store, api, states).await.unwrap();
    assert!(any_in(open.api.id, &[State::Blocked, State::Published]).await);
    assert!(!any_in(open.api.id, &[State::Created]).await);
    assert!(!any_in(closed.api.id, &[State::Published]).await);
    let offer = versions::with_api(store, closed.version.id).await.unwrap();
    assert_eq!(
        (offer.api, offer.version.id),
        (closed.api, closed.version.id)
    );
}

pub(crate) async fn a_deleted_api_keeps_its_owner(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let pets = api(store, ada.id, "/pets").await;
    let (id, version) = (pets.api.id, pets.version.id);
    let handed_over = ApiChange {
        name: pets.api.name,
        context: pets.api.context,
        description: pets.api.description,
        owner: ben.id,
    };
    write(store, async |tx| apis::update(tx, id, &handed_over).await)
        .await
        .unwrap();
    let live = api(store, ben.id, "/birds").await.api.id;
    for _ in 0..2 {
        assert_eq!(owners::of_api(store, id).await.unwrap(), Some(ben.id));
        let owner = owners::of_version(store, version).await.unwrap();
        assert_eq!(owner, Some(ben.id));
        let own = owners::apis(store, ben.id, None, 9).await.unwrap();
        assert_eq!(own, [id, live]);
        let own = owners::apis(store, ben.id, Some(id), 9).await.unwrap();
        assert_eq!(own, [live]);
        assert_eq!(owners::apis(store, ada.id, None, 9).await.unwrap(), []);
        // The second time there is none to delete.
        let _ = write(store, async |tx| apis::delete(tx, id).await).await;
    }
    assert!(apis::by_id(store, id).await.is_err());
}

pub(crate) async fn a_new_context_is_noted_for_every_version(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let before = feed::last(store).await.unwrap();
    let change = ApiChange {
        name: "Pets".to_owned(),
        context: "/animals".to_owned(),
        description: "All of them".to_owned(),
        owner: ada.id,
    };
    write(store, async |tx| {
        apis::update(tx, pets.api.id, &change).await
    })
    .await
    .unwrap();
    let changed = facts(store, before).await;
    let [Fact::Version(deployed)] = changed.as_slice() else {
        panic!("{changed:?}")
    };
    assert_eq!(deployed.version.context, "/animals");
    let read = apis::by_id(store, pets.api.id).await.unwrap();
    assert_eq!(
        (read.name, read.description),
        (change.name, change.description)
    );
    let absent = write(store, async |tx| {
        let free = ApiChange {
            name: "Free".to_owned(),
            context: "/free".to_owned(),
            description: String::new(),
            owner: ada.id,
        };
        apis::update(tx, id(), &free).await
    });
    assert!(matches!(
        absent.await.unwrap_err(),
        StoreError::NotFound("API")
    ));
}

pub(crate) async fn an_api_in_use_is_not_deleted(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let version = pets.version.id;
    let delete = async || write(store, async |tx| apis::delete(tx, pets.api.id).await).await;
    assert!(matches!(delete().await.unwrap_err(), StoreError::Used(_)));
    enter(store, version, State::Published, State::Blocked).await;
    assert!(matches!(delete().await.unwrap_err(), StoreError::Used(_)));
    enter(store, version, State::Blocked, State::Deprecated).await;
    assert!(matches!(delete().await.unwrap_err(), StoreError::Used(_)));
    enter(store, version, State::Deprecated, State::Retired).await;
    delete().await.unwrap();
}

pub(crate) async fn a_deleted_api_takes_everything_with_it(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let version = pets.version.id;
    let program = application(store, ada.id, "program").await;
    key(store, program.id, 1).await;
    let live = subscription(store, program.id, version, gold.id).await;
    enter(store, version, State::Published, State::Created).await;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| apis::delete(tx, pets.api.id).await)
        .await
        .unwrap();

    assert_eq!(
        facts(store, before).await,
        [Fact::Ready(Event::VersionGone(version))]
    );
    assert!(apis::by_id(store, pets.api.id).await.is_err());
    assert!(versions::by_id(store, version).await.is_err());
    assert!(subscriptions::by_id(store, live.id).await.is_err());
    let revisions = revisions::list(store, version, revisions::Order::Oldest, None, 9)
        .await
        .unwrap();
    assert_eq!(revisions, []);
    assert_eq!(documents::of_draft(store, version).await.unwrap(), None);
    // The context is free again.
    api(store, ada.id, "/pets").await;
}
