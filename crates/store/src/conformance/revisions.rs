//! Revisions: their documents, their number, restoring, deleting and comparing them.

use tollgate_model::api::Configuration;
use tollgate_model::id::VersionId;
use tollgate_model::lifecycle::State;

use super::fixture::{api, configuration, facts, id, plan, published, revision, user, write};
use crate::comparison::{self, Place, Side};
use crate::contracts::{self, ContractDocument, NewContract};
use crate::documents::{self, Document};
use crate::feed::Fact;
use crate::lifecycle::{self, Deploy};
use crate::revisions::{self, NewRevision, Order, REVISIONS_MAX};
use crate::{Store, StoreError, feed, overview, versions};

pub(crate) async fn revisions_count_from_one_and_do_not_change(store: &Store) {
    let ada = user(store, "ada").await;
    let pets = api(store, ada.id, "/pets").await;
    let version = pets.version.id;
    let first = revision(store, version, &["/one"]).await;
    let second = revision(store, version, &["/two"]).await;
    let all = revisions::list(store, version, Order::Oldest, None, 9)
        .await
        .unwrap();
    let seen: Vec<_> = all.iter().map(|it| (it.id, it.number)).collect();
    assert_eq!(seen, [(first.id, 1), (second.id, 2)]);
    let page = revisions::list(store, version, Order::Oldest, Some(1), 9)
        .await
        .unwrap();
    assert_eq!(page, [all[1].clone()]);
    let newest = async |after| {
        revisions::list(store, version, Order::Newest, after, 9)
            .await
            .unwrap()
    };
    assert_eq!(newest(None).await, [all[1].clone(), all[0].clone()]);
    assert_eq!(newest(Some(2)).await, [all[0].clone()]);
    let (read, frozen) = revisions::by_number(store, version, 2).await.unwrap();
    assert_eq!((&read, frozen), (&all[1], second.configuration));
    let (read, frozen) = revisions::by_id(store, first.id).await.unwrap();
    assert_eq!((&read, frozen), (&all[0], first.configuration));
    assert!(matches!(
        revisions::by_number(store, version, 3).await.unwrap_err(),
        StoreError::NotFound("revision")
    ));
}

pub(crate) async fn a_deployed_revision_is_noted_and_rolls_back(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let other = api(store, ada.id, "/other").await;
    let version = pets.version.id;
    let first = versions::by_id(store, version).await.unwrap();
    let first = first.deployed.unwrap();
    let second = revision(store, version, &["/second"]).await;
    let deploy = async |version, revision| {
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| {
            revisions::deploy(tx, version, revision, 70).await
        })
        .await
        .map(|()| before)
    };
    for (revision, number, path) in [(second.id, 2, "/second"), (first, 1, "/pets")] {
        let before = deploy(version, revision).await.unwrap();
        let changed = facts(store, before).await;
        let [Fact::Version(deployed)] = changed.as_slice() else {
            panic!("{changed:?}")
        };
        assert_eq!(deployed.version.revision, revision);
        assert_eq!(deployed.configuration, Ok(configuration(&[path])));
        let read = versions::by_id(store, version).await.unwrap();
        assert_eq!(read.deployed_number, Some(number));
    }
    let foreign = deploy(other.version.id, first).await.unwrap_err();
    assert!(matches!(foreign, StoreError::NotFound("revision")));
}

/// Gives the draft a document with these bytes.
async fn upload(store: &Store, version: VersionId, bytes: &str) -> Document {
    let document = Document {
        digest: format!("digest of {bytes}"),
        media_type: "application/json".to_owned(),
        bytes: bytes.into(),
    };
    write(store, async |tx| {
        documents::put(tx, version, &document).await
    })
    .await
    .unwrap();
    document
}

async fn delete(store: &Store, version: VersionId, number: i64) -> Result<(), StoreError> {
    write(store, async |tx| {
        revisions::delete(tx, version, number).await
    })
    .await
}

/// Counts the rows of a query.
async fn count(store: &Store, sql: &'static str) -> usize {
    store.rows(sql, &[]).await.unwrap().len()
}

async fn numbers(store: &Store, version: VersionId) -> Vec<i64> {
    let all = revisions::list(store, version, Order::Oldest, None, 1_000)
        .await
        .unwrap();
    all.iter().map(|it| it.number).collect()
}

pub(crate) async fn a_revision_has_the_document_of_its_draft(store: &Store) {
    const DOCUMENTS: &str = "select digest from document_bytes";
    let ada = user(store, "ada").await;
    let version = api(store, ada.id, "/pets").await.version.id;
    let one = upload(store, version, "one").await;
    let first = revision(store, version, &["/a"]).await;
    let two = upload(store, version, "two").await;
    let second = revision(store, version, &["/a"]).await;
    let third = revision(store, version, &["/a"]).await;
    for (revision, document) in [(first.id, &one), (second.id, &two), (third.id, &two)] {
        let found = documents::of_revision(store, revision).await.unwrap();
        assert_eq!(found.as_ref(), Some(document));
    }
    // The imported document is gone, and the one of two revisions is stored once.
    assert_eq!(count(store, DOCUMENTS).await, 2);
    upload(store, version, "three").await;
    upload(store, version, "four").await;
    assert_eq!(count(store, DOCUMENTS).await, 3);
}

pub(crate) async fn a_restored_revision_replaces_draft_and_document(store: &Store) {
    let ada = user(store, "ada").await;
    let version = api(store, ada.id, "/pets").await.version.id;
    let one = upload(store, version, "one").await;
    let mut secret = configuration(&["/one"]);
    let credential = r#"{"header":{"name":"key","value":"s3cret"}}"#;
    let upstream = secret.upstream.as_mut().unwrap();
    upstream.credential = serde_json::from_str(credential).unwrap();
    let first = NewRevision {
        id: id(),
        configuration: secret.clone(),
        ..revision(store, version, &["/zero"]).await
    };
    write(store, async |tx| revisions::create(tx, &first).await)
        .await
        .unwrap();
    upload(store, version, "two").await;
    let restore = async |number, etag| {
        write(store, async |tx| {
            revisions::restore(tx, version, number, etag, 77).await
        })
        .await
    };
    let restored = restore(2, 1).await.unwrap();
    assert_eq!(restored, (2, secret.clone()));
    let draft = versions::draft(store, version).await.unwrap();
    assert_eq!((draft.etag, draft.configuration), (2, secret));
    let found = documents::of_draft(store, version).await.unwrap();
    assert_eq!(found, Some(one));
    assert!(matches!(
        restore(2, 1).await.unwrap_err(),
        StoreError::Stale("draft")
    ));
    assert!(matches!(
        restore(9, 2).await.unwrap_err(),
        StoreError::NotFound("revision")
    ));
}

pub(crate) async fn a_deleted_revision_takes_its_document_and_contract_with_it(store: &Store) {
    const DOCUMENTS: &str = "select digest from document_bytes";
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let version = published(store, ada.id, "/pets", &[gold.id])
        .await
        .version
        .id;
    let digests = ["ab", "cd"].map(|it| it.repeat(32));
    let mut last = revision(store, version, &["/a"]).await;
    for digest in &digests {
        let contract = NewContract {
            digest: digest.clone(),
            documents: vec![ContractDocument {
                requested: "a.wsdl".to_owned(),
                location: "a.wsdl".to_owned(),
                bytes: b"<a/>".to_vec(),
            }],
        };
        let soap = format!(r#"{{"soap":{{"contract":"{digest}","service":"S","port":"P"}}}}"#);
        let configuration: Configuration = serde_json::from_str(&soap).unwrap();
        last = NewRevision {
            id: id(),
            configuration,
            ..last
        };
        write(store, async |tx| {
            contracts::keep(tx, version, &contract).await?;
            revisions::create(tx, &last).await
        })
        .await
        .unwrap();
        upload(store, version, digest).await;
    }
    assert_eq!(count(store, DOCUMENTS).await, 3);
    delete(store, version, 4).await.unwrap();
    assert_eq!(numbers(store, version).await, [1, 2, 3]);
    let kept = async |digest| {
        contracts::documents(store, version, digest)
            .await
            .unwrap()
            .len()
    };
    assert_eq!([kept(&digests[0]).await, kept(&digests[1]).await], [1, 0]);
    // The document of the deleted one is gone; those of the draft and of the others are not.
    assert_eq!(count(store, DOCUMENTS).await, 2);
    let deployed = delete(store, version, 1).await.unwrap_err();
    assert!(matches!(deployed, StoreError::Used(_)), "{deployed:?}");
    assert!(matches!(
        delete(store, version, 4).await.unwrap_err(),
        StoreError::NotFound("revision")
    ));
}

pub(crate) async fn numbers_are_not_used_again(store: &Store) {
    let ada = user(store, "ada").await;
    let version = api(store, ada.id, "/pets").await.version.id;
    for _ in 0..2 {
        revision(store, version, &["/a"]).await;
    }
    delete(store, version, 2).await.unwrap();
    revision(store, version, &["/a"]).await;
    assert_eq!(numbers(store, version).await, [1, 3]);
}

pub(crate) async fn the_oldest_undeployed_revision_makes_room_for_the_next(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let version = published(store, ada.id, "/pets", &[gold.id])
        .await
        .version
        .id;
    let template = revision(store, version, &["/a"]).await;
    let create = async |tx: &mut _| {
        let new = NewRevision {
            id: id(),
            ..template.clone()
        };
        revisions::create(tx, &new).await
    };
    write(store, async |tx| {
        for number in 3..=i64::from(REVISIONS_MAX) {
            let created = create(tx).await?;
            assert_eq!((created.number, created.deleted), (number, None));
        }
        Ok(())
    })
    .await
    .unwrap();
    for oldest in [2, 3] {
        let created = write(store, create).await.unwrap();
        assert_eq!(created.deleted, Some(oldest));
    }
    let numbers = numbers(store, version).await;
    assert_eq!(numbers.len(), REVISIONS_MAX as usize);
    assert_eq!((&numbers[..3], numbers[999]), (&[1, 4, 5][..], 1_002));
}

pub(crate) async fn a_deployment_leaves_history(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let version = published(store, ada.id, "/pets", &[gold.id])
        .await
        .version
        .id;
    let first = versions::by_id(store, version)
        .await
        .unwrap()
        .deployed
        .unwrap();
    let second = revision(store, version, &["/b"]).await.id;
    for (revision, note) in [(second, "new"), (first, "back")] {
        let deploy = Deploy {
            version,
            revision,
            by: ada.id,
            note,
            at_us: 50,
        };
        write(store, async |tx| lifecycle::deploy(tx, &deploy).await)
            .await
            .unwrap();
    }
    super::fixture::enter(store, version, State::Published, State::Blocked).await;
    // A deleted revision stays in the history.
    delete(store, version, 2).await.unwrap();
    let steps = lifecycle::history(store, version).await.unwrap();
    let seen: Vec<_> = steps
        .iter()
        .map(|it| (it.from, it.to, it.revision))
        .collect();
    let published = (State::Published, State::Published);
    assert_eq!(
        seen,
        [
            (State::Created, State::Published, Some(1)),
            (published.0, published.1, Some(2)),
            (published.0, published.1, Some(1)),
            (State::Published, State::Blocked, None),
        ]
    );
    let step = &steps[2];
    let by = (step.by, step.by_name.as_deref());
    assert_eq!((by, step.note.as_str()), ((ada.id, Some("ada")), "back"));
}

pub(crate) async fn both_sides_of_a_comparison_are_read_together(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let version = published(store, ada.id, "/pets", &[gold.id])
        .await
        .version
        .id;
    let new = upload(store, version, "new").await;
    revision(store, version, &["/b"]).await;
    let read_of = async |version, sides: [Side; 2]| {
        let places = sides.map(|side| Place { version, side });
        comparison::read(store, places).await.unwrap()
    };
    let read = async |from, to| read_of(version, [from, to]).await;
    let found = read(Side::Deployed, Side::Draft).await;
    let [Some(deployed), Some(draft)] = &found.sides else {
        panic!("{found:?}")
    };
    assert_eq!(deployed.revision.as_ref().map(|it| it.number), Some(1));
    assert_eq!(deployed.configuration, configuration(&["/pets"]));
    assert_eq!(draft.revision, None);
    assert_eq!(draft.document.as_ref(), Some(&new.digest));
    let [before, after] = found.documents.unwrap();
    assert_eq!((&*before.bytes, after), (&b"openapi: 3.1.0"[..], new));
    let found = read(Side::Revision(2), Side::Revision(7)).await;
    assert!(matches!(found.sides, [Some(_), None]), "{found:?}");
    let bare = api(store, ada.id, "/bare").await.version.id;
    let found = read_of(bare, [Side::Deployed, Side::Draft]).await;
    assert!(matches!(found.sides, [None, Some(_)]), "{found:?}");

    let of_both = [(version, Side::Deployed), (bare, Side::Draft)];
    let of_both = of_both.map(|(version, side)| Place { version, side });
    let found = comparison::read(store, of_both).await.unwrap();
    let [Some(deployed), Some(other)] = &found.sides else {
        panic!("{found:?}")
    };
    assert_eq!(deployed.configuration, configuration(&["/pets"]));
    assert_eq!(other.revision, None);
}

pub(crate) async fn a_changed_document_is_a_change(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let version = published(store, ada.id, "/pets", &[gold.id])
        .await
        .version
        .id;
    let changes = async || {
        let changes = overview::changes(store, &[version]).await.unwrap();
        changes.get(&version).copied()
    };
    let save = async |etag, path| {
        let configuration = configuration(&[path]);
        write(store, async |tx| {
            versions::save_draft(tx, version, etag, &configuration, 60).await
        })
        .await
        .unwrap()
    };
    save(1, "/pets").await;
    assert_eq!(changes().await, None);
    upload(store, version, "new").await;
    assert_eq!(changes().await, Some(1));
    let wanted = overview::Wanted::default();
    let page = super::fixture::part(None, 9);
    let listed = overview::find(store, wanted, &page).await.unwrap();
    assert!(!listed.rows[0].is_same);
    save(2, "/other").await;
    // One operation is removed and a different one added.
    assert_eq!(changes().await, Some(3));
}
