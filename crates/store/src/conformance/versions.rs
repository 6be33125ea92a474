//! Versions, revisions, operations, lifecycle.

use tollgate_model::compile::operation_id;
use tollgate_model::feed::Event;
use tollgate_model::lifecycle::{STATES, State};
use tollgate_model::soap::{UNKNOWN, soap_operation_id};

use super::fixture::{api, configuration, enter, facts, id, new_version, plan, published};
use super::fixture::{application, part, revision, step, subscription, user, write};
use crate::contracts::{self, ContractDocument, NewContract};
use crate::feed::Fact;
use crate::{
    Store, StoreError, default_version, documents, feed, lifecycle, operations, revisions,
};
use crate::{subscriptions, versions};

pub(crate) async fn a_version_copies_plans_and_document(store: &Store) {
    let ada = user(store, "ada").await;
    let (gold, tin) = (plan(store, "gold").await, plan(store, "tin").await);
    let pets = published(store, ada.id, "/pets", &[tin.id, gold.id]).await;
    let two = new_version("2.0");
    let create = async || {
        write(store, async |tx| {
            versions::create(tx, pets.api.id, &two, Some(pets.version.id)).await
        })
        .await
    };
    create().await.unwrap();
    let offered = versions::plans(store, two.id).await.unwrap();
    assert_eq!(offered, [tin, gold]);
    let document = documents::of_draft(store, two.id).await.unwrap();
    assert_eq!(document, pets.document);
    let read = versions::by_name(store, pets.api.id, "2.0").await.unwrap();
    let read = read.unwrap();
    assert_eq!((read.id, read.state), (two.id, State::Created));
    assert!(!read.is_default);
    let called = versions::by_path(store, &pets.api.context, "2.0").await;
    assert_eq!(called.unwrap().as_ref(), Some(&read));
    for (context, name) in [(&*pets.api.context, "3.0"), ("/nowhere", "2.0"), ("", "")] {
        let called = versions::by_path(store, context, name).await;
        assert_eq!(called.unwrap(), None);
    }
    let after = part(Some(pets.version.id), 9);
    let page = versions::find(store, pets.api.id, &STATES, None, &after).await;
    assert_eq!(page.unwrap().rows, [read]);

    let twin = versions::NewVersion { id: id(), ..two };
    let taken = write(store, async |tx| {
        versions::create(tx, pets.api.id, &twin, None).await
    });
    let taken = taken.await.unwrap_err();
    assert!(
        matches!(taken, StoreError::Taken { field: "/name", .. }),
        "{taken:?}"
    );
    let orphan = write(store, async |tx| {
        versions::create(tx, id(), &new_version("1"), None).await
    });
    let orphan = orphan.await.unwrap_err();
    assert!(matches!(orphan, StoreError::NotFound(_)), "{orphan:?}");
}

pub(crate) async fn a_contract_is_copied_and_sent_with_its_versions(store: &Store) {
    let ada = user(store, "ada").await;
    let tin = plan(store, "tin").await;
    let pets = published(store, ada.id, "/pets", &[tin.id]).await;
    let version = pets.version.id;
    let digest = "ab".repeat(32);
    let document = |location: &str| ContractDocument {
        requested: format!("from/{location}"),
        location: location.to_owned(),
        bytes: location.as_bytes().to_vec(),
    };
    let contract = NewContract {
        digest: digest.clone(),
        documents: vec![document("z.wsdl"), document("a.xsd")],
    };
    let keep = async || {
        let contract = &contract;
        write(store, async |tx| {
            contracts::keep(tx, version, contract).await
        })
        .await
    };
    keep().await.unwrap();
    keep().await.unwrap();
    let kept = contracts::documents(store, version, &digest).await.unwrap();
    assert_eq!(kept, contract.documents);
    let other = contracts::documents(store, version, &"cd".repeat(32)).await;
    assert_eq!(other.unwrap(), []);

    let two = new_version("2.0");
    write(store, async |tx| {
        versions::create(tx, pets.api.id, &two, Some(version)).await
    })
    .await
    .unwrap();
    let copied = contracts::documents(store, two.id, &digest).await.unwrap();
    assert_eq!(copied, contract.documents);

    let soap = format!(
        r#"{{"soap":{{"contract":"{digest}","service":"S","port":"P",
            "operations":[{{"name":"find"}}]}}}}"#
    );
    let frozen = revisions::NewRevision {
        configuration: serde_json::from_str(&soap).unwrap(),
        ..revision(store, version, &["/pets"]).await
    };
    let frozen = revisions::NewRevision { id: id(), ..frozen };
    write(store, async |tx| {
        revisions::create(tx, &frozen).await?;
        revisions::deploy(tx, version, frozen.id, 70).await
    })
    .await
    .unwrap();
    let whole = feed::whole(store, 0).await.unwrap();
    let sent = whole.facts.iter().find_map(|fact| match fact {
        Fact::Version(deployed) if deployed.version.id == version => Some(&deployed.contract),
        _ => None,
    });
    assert_eq!(sent, Some(&contract.documents));
    for name in ["find", UNKNOWN] {
        let id = soap_operation_id(version, name);
        let name_kept = operations::by_id(store, id).await.unwrap().unwrap();
        assert_eq!((name_kept.method, name_kept.path.as_str()), (None, name));
    }
}

pub(crate) async fn a_draft_changes_only_with_its_latest_etag(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let version = pets.version.id;
    let edited = configuration(&["/new"]);
    let save = async |etag| {
        let edited = &edited;
        write(store, async |tx| {
            versions::save_draft(tx, version, etag, edited, 60).await
        })
        .await
    };
    assert_eq!(save(1).await.unwrap(), 2);
    assert!(matches!(
        save(1).await.unwrap_err(),
        StoreError::Stale("draft")
    ));
    let draft = versions::draft(store, version).await.unwrap();
    assert_eq!((draft.configuration, draft.etag), (edited.clone(), 2));
    let read = versions::by_id(store, version).await.unwrap();
    assert_eq!((read.draft_etag, read.updated_us), (2, 60));
    assert_eq!(facts(store, 0).await, []);
}

pub(crate) async fn one_version_is_the_default_and_all_are_noted_when_it_changes(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let two = new_version("2.0");
    write(store, async |tx| {
        versions::create(tx, pets.api.id, &two, None).await
    })
    .await
    .unwrap();
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        default_version::set(tx, pets.api.id, Some(two.id)).await
    })
    .await
    .unwrap();
    let changed = facts(store, before).await;
    let [
        Fact::Version(deployed),
        Fact::Ready(Event::VersionGone(gone)),
    ] = changed.as_slice()
    else {
        panic!("{changed:?}")
    };
    assert_eq!(deployed.version.id, pets.version.id);
    assert!(!deployed.version.is_default);
    assert_eq!(*gone, two.id);
    let all = versions::find(store, pets.api.id, &STATES, None, &part(None, 9)).await;
    let all = all.unwrap();
    let defaults: Vec<bool> = all.rows.iter().map(|version| version.is_default).collect();
    assert_eq!(defaults, [false, true]);
}

pub(crate) async fn plans_are_offered_in_order(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let (gold, tin) = (plan(store, "gold").await, plan(store, "tin").await);
    let set = async |plans: &[_]| {
        write(store, async |tx| {
            versions::set_plans(tx, pets.version.id, plans).await
        })
        .await
    };
    set(&[tin.id, gold.id]).await.unwrap();
    let offered = versions::plans(store, pets.version.id).await.unwrap();
    assert_eq!(offered, [tin.clone(), gold.clone()]);
    // A rejected change leaves the offer as it was.
    for wrong in [[gold.id, gold.id], [gold.id, id()]] {
        set(&wrong).await.unwrap_err();
        let offered = versions::plans(store, pets.version.id).await.unwrap();
        assert_eq!(offered.len(), 2);
    }
    set(&[gold.id]).await.unwrap();
    let offered = versions::plans(store, pets.version.id).await.unwrap();
    assert_eq!(offered, [gold]);
}

pub(crate) async fn the_catalogue_shows_the_requested_states(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    api(store, ada.id, "/created").await;
    let shown = published(store, ada.id, "/shown", &[gold.id]).await;
    let blocked = published(store, ada.id, "/blocked", &[gold.id]).await;
    enter(store, blocked.version.id, State::Published, State::Blocked).await;
    let last = published(store, ada.id, "/last", &[gold.id]).await;
    let states = [State::Published, State::Prototyped];
    let offers = versions::catalogue(store, &states, None, 9).await.unwrap();
    let apis: Vec<_> = offers.iter().map(|offer| offer.api.clone()).collect();
    assert_eq!(apis, [shown.api, last.api.clone()]);
    assert_eq!(offers[1].version.deployed_number, Some(1));
    let page = versions::catalogue(store, &states, Some(shown.version.id), 9).await;
    assert_eq!(page.unwrap(), [offers[1].clone()]);
    assert_eq!(versions::catalogue(store, &[], None, 9).await.unwrap(), []);
}

pub(crate) async fn operations_keep_their_id_and_name_over_revisions(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let version = pets.version.id;
    for paths in [&["/a/{x}", "/b"] as &[_], &["/a/{other}", "/c"]] {
        let revision = revision(store, version, paths).await;
        write(store, async |tx| {
            revisions::deploy(tx, version, revision.id, 1).await
        })
        .await
        .unwrap();
    }
    for (path, first) in [("/a/{other}", "/a/{x}"), ("/b", "/b"), ("/c", "/c")] {
        let operation = configuration(&[path]).operations.remove(0);
        let id = operation_id(version, operation.method, &operation.path);
        let name = operations::by_id(store, id).await.unwrap().unwrap();
        assert_eq!(
            (name.path.as_str(), name.method),
            (first, Some(operation.method))
        );
    }
}

pub(crate) async fn a_transition_leaves_history_and_needs_the_state_it_was_based_on(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let version = pets.version.id;
    let before = feed::last(store).await.unwrap();
    enter(store, version, State::Published, State::Blocked).await;
    let changed = facts(store, before).await;
    let [Fact::Version(deployed)] = changed.as_slice() else {
        panic!("{changed:?}")
    };
    assert_eq!(deployed.version.state, State::Blocked);
    let steps = lifecycle::history(store, version).await.unwrap();
    let seen: Vec<_> = steps.iter().map(|step| (step.from, step.to)).collect();
    assert_eq!(
        seen,
        [
            (State::Created, State::Published),
            (State::Published, State::Blocked)
        ]
    );
    assert_eq!((steps[1].note.as_str(), steps[1].at_us), ("because", 10));
    let again = step(version, State::Published, State::Deprecated);
    let stale = write(store, async |tx| lifecycle::enter(tx, &again).await).await;
    assert!(matches!(stale.unwrap_err(), StoreError::Stale("version")));
}

pub(crate) async fn a_published_version_offers_a_plan(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let bare = api(store, ada.id, "/bare").await.version.id;
    let taken = write(store, async |tx| {
        versions::set_plans(tx, pets.version.id, &[]).await
    });
    assert!(matches!(taken.await.unwrap_err(), StoreError::Used(_)));
    let step = step(bare, State::Created, State::Published);
    let step = write(store, async |tx| lifecycle::enter(tx, &step).await).await;
    assert!(matches!(step.unwrap_err(), StoreError::Stale(_)));
}

pub(crate) async fn demoting_ends_every_subscription_and_undeploys(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let version = pets.version.id;
    let mut live = Vec::new();
    for name in ["one", "two"] {
        let program = application(store, ada.id, name).await;
        live.push(subscription(store, program.id, version, gold.id).await.id);
    }
    let before = feed::last(store).await.unwrap();
    enter(store, version, State::Published, State::Created).await;
    let changed = facts(store, before).await;
    assert_eq!(changed.len(), 3);
    assert!(changed.contains(&Fact::Ready(Event::VersionGone(version))));
    for id in live {
        assert!(changed.contains(&Fact::Ready(Event::SubscriptionGone(id))));
        let ended = subscriptions::by_id(store, id).await.unwrap();
        assert_eq!(ended.ended_us, Some(10));
    }
    let read = versions::by_id(store, version).await.unwrap();
    assert_eq!((read.state, read.deployed), (State::Created, None));
}

pub(crate) async fn a_failed_transition_leaves_nothing(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let mut step = step(pets.version.id, State::Created, State::Prototyped);
    step.deploy = Some(id());
    let failed = write(store, async |tx| lifecycle::enter(tx, &step).await).await;
    assert!(matches!(
        failed.unwrap_err(),
        StoreError::NotFound("revision")
    ));
    let read = versions::by_id(store, pets.version.id).await.unwrap();
    assert_eq!(read.state, State::Created);
    let steps = lifecycle::history(store, pets.version.id).await.unwrap();
    assert_eq!(steps, []);
    assert_eq!(facts(store, 0).await, []);
}
