use super::*;
use tollgate_counters::debit;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, compile};
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApiId, ApplicationId, RevisionId};
use tollgate_model::lifecycle::State;
use tollgate_model::limit::Counting;
use tollgate_model::plan::Window;
use tollgate_model::soap::Contract;
use tollgate_soap::plan::ServicePlan;

const APPLICATION: ApplicationId = ApplicationId::from_raw(1);
const VERSION: VersionId = VersionId::from_raw(2);
const PLAN: PlanId = PlanId::from_raw(3);
const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_raw(4);
const NOW_US: i64 = 1_800_000_000_000_000;

fn limit(per: Per, amount: u64) -> ServedLimit {
    let counting = Counting::Every {
        length_us: 60_000_000,
        anchor_us: 0,
    };
    ServedLimit {
        per,
        amount,
        window: Window::Minute,
        zone: None,
        counting,
    }
}

fn plan(amount: u64) -> Event {
    let limits = vec![
        limit(Per::Subscription, amount),
        limit(Per::Application, amount),
    ];
    Event::Plan(ServedPlan {
        id: PLAN,
        name: "bronze".into(),
        limits,
    })
}

fn application(limits: Vec<ServedLimit>) -> Event {
    Event::Application(ServedApplication {
        id: APPLICATION,
        limits,
    })
}

fn subscription(id: SubscriptionId, status: Status) -> Event {
    let (application, version, plan) = (APPLICATION, VERSION, PLAN);
    Event::Subscription(ServedSubscription {
        id,
        application,
        version,
        plan,
        status,
    })
}

fn key(digest: u8) -> Event {
    Event::Key(ServedKey {
        id: ApiKeyId::from_raw(5),
        digest: [digest; 32],
        application: APPLICATION,
        environment: Environment::Production,
        not_before_us: None,
        expires_us: None,
    })
}

fn change(after: Sequence, sequence: Sequence, events: Vec<Event>) -> Change {
    Change {
        after,
        sequence,
        events,
    }
}

fn reader() -> Reader {
    Reader::new(Arc::default(), Arc::new(Counters::new([7; 16])))
}

fn served(reader: &Reader) -> Arc<Subscription> {
    let snapshot = reader.current.load();
    Arc::clone(
        snapshot
            .subscriptions
            .find(&(APPLICATION, VERSION))
            .unwrap(),
    )
}

#[test]
fn a_plans_change_reaches_the_subscriptions_under_it_and_keeps_what_was_used() {
    let mut reader = reader();
    let events = vec![
        plan(2),
        application(vec![]),
        subscription(SUBSCRIPTION, Status::Active),
    ];
    reader.apply(change(0, 1, events));
    debit(served(&reader).bounds.iter(), NOW_US).unwrap();
    debit(served(&reader).bounds.iter(), NOW_US).unwrap();
    assert!(debit(served(&reader).bounds.iter(), NOW_US).is_err());
    reader.apply(change(1, 2, vec![plan(3)]));
    let subscription = served(&reader);
    let standing = debit(subscription.bounds.iter(), NOW_US).unwrap().unwrap();
    assert_eq!(standing.remaining, 0);
}

#[test]
fn who_subscribes_again_goes_on_with_what_was_used_and_nobody_else_does() {
    let plan = Event::Plan(ServedPlan {
        id: PLAN,
        name: "bronze".into(),
        limits: vec![limit(Per::Subscription, 5)],
    });
    let of = |id, application, version| {
        Event::Subscription(ServedSubscription {
            id: SubscriptionId::from_raw(id),
            application: ApplicationId::from_raw(application),
            version: VersionId::from_raw(version),
            plan: PLAN,
            status: Status::Active,
        })
    };
    let mut reader = reader();
    let events = vec![plan, subscription(SUBSCRIPTION, Status::Active)];
    reader.apply(change(0, 1, events));
    debit(served(&reader).bounds.iter(), NOW_US).unwrap();
    reader.apply(change(1, 2, vec![Event::SubscriptionGone(SUBSCRIPTION)]));
    let pairs = [((1, 2), 3), ((1, 3), 4), ((2, 2), 4), ((2, 1), 4)];
    let events = pairs.iter().enumerate();
    let events = events.map(|(at, ((application, version), _))| {
        of(9 + i64::try_from(at).unwrap(), *application, *version)
    });
    reader.apply(change(2, 3, events.collect()));
    let snapshot = reader.current.load();
    for ((application, version), remaining) in pairs {
        let place = (
            ApplicationId::from_raw(application),
            VersionId::from_raw(version),
        );
        let subscription = snapshot.subscriptions.find(&place).unwrap();
        let standing = debit(subscription.bounds.iter(), NOW_US).unwrap().unwrap();
        assert_eq!(standing.remaining, remaining, "{place:?}");
    }
}

#[test]
fn a_subscription_without_a_known_plan_is_not_active() {
    let mut reader = reader();
    reader.apply(change(
        0,
        1,
        vec![
            application(vec![]),
            subscription(SUBSCRIPTION, Status::Active),
        ],
    ));
    assert_eq!(served(&reader).status, Status::Pending);
    reader.apply(change(1, 2, vec![plan(5)]));
    assert_eq!(served(&reader).status, Status::Active);
}

#[test]
fn an_applications_own_limit_and_its_plans_are_counted_apart() {
    let mut reader = reader();
    let own = application(vec![limit(Per::Application, 10)]);
    reader.apply(change(
        0,
        1,
        vec![plan(10), own, subscription(SUBSCRIPTION, Status::Active)],
    ));
    let subscription = served(&reader);
    assert_eq!(subscription.bounds.len(), 3);
    let standing = debit(subscription.bounds.iter(), NOW_US).unwrap();
    assert_eq!(
        standing.unwrap().remaining,
        9,
        "one call is charged once on each counter"
    );
    let tighter = application(vec![limit(Per::Application, 3)]);
    reader.apply(change(1, 2, vec![tighter]));
    let subscription = served(&reader);
    let standing = debit(subscription.bounds.iter(), NOW_US).unwrap();
    assert_eq!(standing.unwrap().remaining, 1, "what was used stays used");
    let gone = Event::ApplicationGone(APPLICATION);
    reader.apply(change(2, 3, vec![gone]));
    assert_eq!(served(&reader).status, Status::Pending);
}

#[test]
fn the_end_of_an_older_subscription_leaves_the_newer_one_in_its_place() {
    let mut reader = reader();
    let newer = SubscriptionId::from_raw(9);
    reader.apply(change(
        0,
        1,
        vec![plan(5), subscription(SUBSCRIPTION, Status::Active)],
    ));
    let events = vec![
        subscription(newer, Status::Active),
        Event::SubscriptionGone(SUBSCRIPTION),
    ];
    reader.apply(change(1, 2, events));
    assert_eq!(served(&reader).id, newer);
}

#[test]
fn a_key_is_found_by_its_present_digest_only_and_not_once_it_is_gone() {
    let mut reader = reader();
    reader.apply(change(0, 1, vec![key(1)]));
    reader.apply(change(1, 2, vec![key(2)]));
    let finds =
        |reader: &Reader, digest: u8| reader.current.load().keys.find(&[digest; 32]).is_some();
    assert!(!finds(&reader, 1) && finds(&reader, 2));
    reader.apply(change(2, 3, vec![Event::KeyGone(ApiKeyId::from_raw(5))]));
    assert!(!finds(&reader, 2));
}

#[test]
fn a_gap_changes_nothing_and_asks_for_the_whole() {
    let reader = reader();
    let current = Arc::clone(&reader.current);
    let (messages, receiver) = mpsc::channel(8);
    let (applied, mut seen) = watch::channel(0);
    let thread = std::thread::spawn(move || reader.follow(receiver, &applied));
    let acknowledged = |seen: &mut watch::Receiver<Sequence>, sequence| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        *runtime
            .block_on(seen.wait_for(|&it| it == sequence))
            .unwrap()
    };
    messages
        .try_send(Message::Whole(change(0, 5, vec![plan(5)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 5), 5);
    messages
        .try_send(Message::Change(change(7, 8, vec![key(1)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 0), 0);
    assert!(current.load().keys.find(&[1; 32]).is_none());
    messages
        .try_send(Message::Whole(change(0, 8, vec![key(1)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 8), 8);
    assert!(current.load().keys.find(&[1; 32]).is_some());
    drop(messages);
    thread.join().unwrap();
}

/// The version `/shop/1.0`, a SOAP service as REST.
fn as_rest(plan: &[u8], is_default: bool) -> Event {
    let version = compile::Version {
        id: VERSION,
        api: ApiId::from_raw(1),
        kind: Kind::SoapToRest,
        context: "/shop".into(),
        name: "1.0".into(),
        is_default,
        state: State::Published,
        revision: RevisionId::from_raw(1),
    };
    let digest = "0".repeat(64);
    let configuration: Configuration = serde_json::from_value(serde_json::json!({
        "soap": { "contract": digest, "service": "S", "port": "P", "rest": { "resources": [] } },
    }))
    .unwrap();
    let contract = Contract {
        plan: plan.into(),
        ..Contract::default()
    };
    let served = compile(&version, &configuration, Some(&contract), NOW_US);
    Event::Version(Box::new(served.unwrap().unwrap()))
}

#[test]
fn a_service_as_rest_is_made_ready_once_and_one_that_cannot_be_is_not_served() {
    let mut reader = reader();
    let bridge = |reader: &Reader| {
        let snapshot = reader.current.load();
        let (version, _) = snapshot.contexts.find(b"/shop/1.0")?;
        version.bridge.clone()
    };
    let empty = ServicePlan::default().to_bytes();
    let other = ServicePlan {
        namespaces: vec!["".into(), "urn:other".into()],
        ..ServicePlan::default()
    };
    reader.apply(change(0, 1, vec![as_rest(&empty, false)]));
    let first = bridge(&reader).unwrap();
    reader.apply(change(1, 2, vec![as_rest(&empty, true)]));
    assert!(Arc::ptr_eq(&first, &bridge(&reader).unwrap()));
    reader.apply(change(2, 3, vec![as_rest(&other.to_bytes(), true)]));
    assert!(!Arc::ptr_eq(&first, &bridge(&reader).unwrap()));
    reader.apply(change(3, 4, vec![as_rest(b"\xff", true)]));
    assert!(bridge(&reader).is_none());
    reader.apply(change(4, 5, vec![as_rest(&empty, true)]));
    assert!(bridge(&reader).is_some());
}
