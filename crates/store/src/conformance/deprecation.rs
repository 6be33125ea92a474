//! Deprecations, successors and deleted versions.

use tollgate_model::feed::{Event, ServedDeprecation};
use tollgate_model::id::{ApiId, VersionId};
use tollgate_model::lifecycle::{Deprecation, State, Successor};

use super::fixture::{application, enter, facts, new_version, plan, published, revision};
use super::fixture::{step, subscription, user, write};
use crate::documents::{self, Document};
use crate::feed::Fact;
use crate::subscriptions::named;
use crate::versions;
use crate::{Store, StoreError, apis, catalogue, deprecation, feed, lifecycle, names, retired};

/// Adds a published version that offers the plans of `copy_of`.
async fn another(store: &Store, api: ApiId, name: &str, copy_of: VersionId) -> VersionId {
    let new = new_version(name);
    write(store, async |tx| {
        versions::create(tx, api, &new, Some(copy_of)).await
    })
    .await
    .unwrap();
    let mut step = step(new.id, State::Created, State::Published);
    step.deploy = Some(revision(store, new.id, &["/pets"]).await.id);
    write(store, async |tx| lifecycle::enter(tx, &step).await)
        .await
        .unwrap();
    new.id
}

async fn deprecate(store: &Store, version: VersionId, deprecation: &Deprecation) {
    let mut step = step(version, State::Published, State::Deprecated);
    step.deprecation = Some(deprecation);
    write(store, async |tx| lifecycle::enter(tx, &step).await)
        .await
        .unwrap();
}

async fn successor(store: &Store, id: VersionId) -> Successor {
    let version = versions::by_id(store, id).await.unwrap();
    Successor {
        id,
        name: version.name,
        state: version.state,
    }
}

/// Returns the deprecations of the changed versions as sent to gateways.
async fn served(store: &Store, since: u64) -> Vec<(VersionId, Option<ServedDeprecation>)> {
    let facts = facts(store, since).await;
    let versions = facts.into_iter().filter_map(|fact| match fact {
        Fact::Version(deployed) => Some((deployed.version.id, deployed.version.deprecation)),
        _ => None,
    });
    versions.collect()
}

pub(crate) async fn a_deprecation_reads_back_everywhere_and_ends_with_the_state(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let one = pets.version.id;
    let two = another(store, pets.api.id, "2.0", one).await;
    let shop = application(store, ada.id, "shop").await;
    let live = subscription(store, shop.id, one, gold.id).await;
    let deprecation = Deprecation {
        since_us: 10,
        sunset_us: Some(20),
        successor: Some(successor(store, two).await),
        text: "Move.".to_owned(),
    };
    let before = feed::last(store).await.unwrap();
    deprecate(store, one, &deprecation).await;
    let sent = ServedDeprecation {
        since_us: 10,
        sunset_us: Some(20),
        successor: Some("/pets/2.0".to_owned()),
    };
    assert_eq!(served(store, before).await, [(one, Some(sent.clone()))]);
    let read = versions::by_id(store, one).await.unwrap();
    assert_eq!(read.deprecation.as_ref(), Some(&deprecation));
    let entries = catalogue::entries(store, &[one]).await.unwrap();
    let entry = entries[0].offer.version.deprecation.as_ref();
    assert_eq!(entry, Some(&deprecation));
    let named = named(store, live.id).await.unwrap();
    assert_eq!(named.version_state, State::Deprecated);
    assert_eq!(named.deprecation.as_ref(), Some(&deprecation));
    let successors = deprecation::successors(store, pets.api.id).await.unwrap();
    assert_eq!(successors.into_iter().collect::<Vec<_>>(), [(one, two)]);

    let shorter = Deprecation {
        sunset_us: None,
        ..deprecation
    };
    let replace = async |id| {
        write(store, async |tx| {
            deprecation::replace(tx, id, &shorter, 30).await
        })
        .await
    };
    replace(one).await.unwrap();
    let sent = ServedDeprecation {
        sunset_us: None,
        ..sent
    };
    assert_eq!(served(store, before).await, [(one, Some(sent))]);
    let refused = replace(two).await.unwrap_err();
    assert!(matches!(refused, StoreError::NotFound("version")));

    enter(store, one, State::Deprecated, State::Published).await;
    assert_eq!(served(store, before).await, [(one, None)]);
    let read = versions::by_id(store, one).await.unwrap();
    assert_eq!(read.deprecation, None);

    deprecate(store, one, &shorter).await;
    enter(store, one, State::Deprecated, State::Retired).await;
    let read = versions::by_id(store, one).await.unwrap();
    assert_eq!(read.deprecation.as_ref(), Some(&shorter), "it stays");
    let retired = retired::of_application(store, shop.id, 9).await.unwrap();
    let retired: Vec<_> = retired.iter().map(|it| it.version).collect();
    assert_eq!(retired, [one]);
}

pub(crate) async fn versions_are_sent_again_when_their_successor_changes(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let one = pets.version.id;
    let two = another(store, pets.api.id, "2.0", one).await;
    let deprecation = Deprecation {
        successor: Some(successor(store, two).await),
        ..Deprecation::default()
    };
    deprecate(store, one, &deprecation).await;
    let mut state = State::Published;
    for (next, expected) in [
        (State::Blocked, None),
        (State::Published, Some("/pets/2.0")),
        (State::Deprecated, Some("/pets/2.0")),
        (State::Retired, None),
    ] {
        let before = feed::last(store).await.unwrap();
        enter(store, two, state, next).await;
        state = next;
        let sent = served(store, before).await;
        let (_, sent) = sent.iter().find(|(id, _)| *id == one).unwrap();
        let successor = sent.as_ref().unwrap().successor.as_deref();
        assert_eq!(successor, expected, "{next:?}");
    }
    let read = versions::by_id(store, one).await.unwrap();
    assert_eq!(read.deprecation.unwrap().successor, None);
}

pub(crate) async fn a_version_is_deleted_in_two_states_and_keeps_its_name(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let (api, one) = (pets.api.id, pets.version.id);
    let two = another(store, api, "2.0", one).await;
    let document = Document {
        digest: "only two".to_owned(),
        media_type: "application/json".to_owned(),
        bytes: b"{}".to_vec(),
    };
    write(store, async |tx| documents::put(tx, two, &document).await)
        .await
        .unwrap();
    let delete = async |id| write(store, async |tx| versions::delete(tx, id).await).await;
    let mut state = State::Published;
    for next in [State::Blocked, State::Deprecated, State::Retired] {
        let refused = delete(two).await.unwrap_err();
        assert!(matches!(refused, StoreError::Used(_)), "{state:?}");
        enter(store, two, state, next).await;
        state = next;
    }
    deprecate(store, one, &Deprecation::default()).await;
    let before = feed::last(store).await.unwrap();
    delete(two).await.unwrap();
    let changed = facts(store, before).await;
    let [
        Fact::Version(default),
        Fact::Ready(Event::VersionGone(gone)),
    ] = changed.as_slice()
    else {
        panic!("{changed:?}")
    };
    assert_eq!((default.version.id, *gone), (one, two));
    let gone = versions::by_id(store, two).await.unwrap_err();
    assert!(matches!(gone, StoreError::NotFound("version")));
    let name = names::of_version(store, two).await.unwrap();
    assert_eq!(name.as_deref(), Some("2.0"));
    assert_eq!(documents::containing(store, "{}").await.unwrap(), []);

    let three = new_version("3.0");
    write(store, async |tx| {
        versions::create(tx, api, &three, None).await
    })
    .await
    .unwrap();
    let successor = Deprecation {
        successor: Some(successor(store, three.id).await),
        ..Deprecation::default()
    };
    write(store, async |tx| {
        deprecation::replace(tx, one, &successor, 40).await
    })
    .await
    .unwrap();
    let before = feed::last(store).await.unwrap();
    delete(three.id).await.unwrap();
    let [(sent, Some(_))] = served(store, before).await[..] else {
        panic!("the version with this successor is sent again")
    };
    assert_eq!(sent, one);

    enter(store, one, State::Deprecated, State::Retired).await;
    delete(one).await.unwrap();
    write(store, async |tx| apis::delete(tx, api).await)
        .await
        .unwrap();
}
