use super::*;
use tollgate_counters::{Call, debit};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Contract, Documents, compile};
use tollgate_model::credential::{Allowed, CredentialId, Digest, Environment};
use tollgate_model::feed::{
    RevokedToken, Sequence, ServedClient, ServedCredential, ServedPlan, ServedToken, TokenSubject,
};
use tollgate_model::id::{
    ApiId, ApiKeyId, ApplicationId, BasicUserId, ClientId, RevisionId, SigningKeyId, TokenId,
    UserId,
};
use tollgate_model::lifecycle::State;
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::{Limit, Per, Window};
use tollgate_soap::plan::ServicePlan;

mod credentials;
mod figures;
mod steps;

const APPLICATION: ApplicationId = ApplicationId::from_raw(1);
const VERSION: VersionId = VersionId::from_raw(2);
const PLAN: PlanId = PlanId::from_raw(3);
const KEY_ID: ApiKeyId = ApiKeyId::from_raw(5);
const KEY: CredentialId = CredentialId::ApiKey(KEY_ID);
const USER: CredentialId = CredentialId::BasicUser(BasicUserId::from_raw(6));
const SUBSCRIPTION: SubscriptionId = SubscriptionId::from_raw(4);
const NOW_US: i64 = 1_800_000_000_000_000;

const CALL: Call = Call {
    now_us: NOW_US,
    weight: 1,
};

fn limit(per: Per, amount: u64) -> ServedLimit {
    ServedLimit::compile(&Limit::requests(per, amount, Window::MINUTE), NOW_US)
}

fn plan(amount: u64) -> Event {
    let limits = vec![
        limit(Per::SUBSCRIPTION, amount),
        limit(Per::APPLICATION, amount),
    ];
    Event::Plan(ServedPlan {
        id: PLAN,
        name: "bronze".into(),
        limits,
        counts_failures: true,
    })
}

fn application(limits: Vec<ServedLimit>) -> Event {
    Event::Application(ServedApplication {
        id: APPLICATION,
        owner: UserId::from_raw(9),
        limits,
        tokens_from_us: 0,
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
        scopes: Vec::new(),
    })
}

fn key(digest: u8) -> Event {
    Event::Credential(credential(KEY, digest))
}

fn user(digest: u8, previous: Option<(Digest, i64)>) -> Event {
    Event::Credential(ServedCredential {
        previous,
        ..credential(USER, digest)
    })
}

fn credential(id: CredentialId, digest: u8) -> ServedCredential {
    ServedCredential {
        id,
        digest: [digest; 32],
        previous: None,
        application: APPLICATION,
        environment: Environment::Production,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
    }
}

fn change(after: Sequence, sequence: Sequence, events: Vec<Event>) -> Change {
    Change {
        after,
        sequence,
        events,
    }
}

fn reader() -> Reader {
    Reader::new(
        Arc::default(),
        Arc::new(Counters::new([7; 16], 1_000)),
        Caches::new(0),
        "",
    )
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
fn a_plan_change_reaches_its_subscriptions_and_keeps_their_usage() {
    let mut reader = reader();
    let events = vec![
        plan(2),
        application(vec![]),
        subscription(SUBSCRIPTION, Status::Active),
    ];
    reader.apply(change(0, 1, events));
    debit(served(&reader).bounds.iter(), CALL).unwrap();
    debit(served(&reader).bounds.iter(), CALL).unwrap();
    assert!(debit(served(&reader).bounds.iter(), CALL).is_err());
    reader.apply(change(1, 2, vec![plan(3)]));
    let subscription = served(&reader);
    let debited = debit(subscription.bounds.iter(), CALL).unwrap();
    assert_eq!(debited.standings[0].remaining, 0);
}

#[test]
fn a_new_subscription_continues_the_usage_of_the_old_one_only() {
    let plan = Event::Plan(ServedPlan {
        id: PLAN,
        name: "bronze".into(),
        limits: vec![limit(Per::SUBSCRIPTION, 5)],
        counts_failures: true,
    });
    let of = |id, application, version| {
        Event::Subscription(ServedSubscription {
            id: SubscriptionId::from_raw(id),
            application: ApplicationId::from_raw(application),
            version: VersionId::from_raw(version),
            plan: PLAN,
            status: Status::Active,
            scopes: Vec::new(),
        })
    };
    let mut reader = reader();
    let events = vec![plan, subscription(SUBSCRIPTION, Status::Active)];
    reader.apply(change(0, 1, events));
    debit(served(&reader).bounds.iter(), CALL).unwrap();
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
        let debited = debit(subscription.bounds.iter(), CALL).unwrap();
        assert_eq!(debited.standings[0].remaining, remaining, "{place:?}");
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
    let own = application(vec![limit(Per::APPLICATION, 10)]);
    reader.apply(change(
        0,
        1,
        vec![plan(10), own, subscription(SUBSCRIPTION, Status::Active)],
    ));
    let subscription = served(&reader);
    assert_eq!(subscription.bounds.len(), 3);
    let debited = debit(subscription.bounds.iter(), CALL).unwrap();
    assert_eq!(
        debited.standings[0].remaining, 9,
        "one call is charged once on each counter"
    );
    let tighter = application(vec![limit(Per::APPLICATION, 3)]);
    reader.apply(change(1, 2, vec![tighter]));
    let subscription = served(&reader);
    let debited = debit(subscription.bounds.iter(), CALL).unwrap();
    assert_eq!(debited.standings[0].remaining, 1, "usage is kept");
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
    assert!(!finds(&reader, 1) && finds(&reader, 2));
    reader.apply(change(2, 3, vec![Event::CredentialGone(KEY)]));
    assert!(!finds(&reader, 2));
}

fn finds(reader: &Reader, digest: u8) -> bool {
    let snapshot = reader.current.load();
    let key = snapshot.api_keys.find(&KEY_ID);
    key.is_some_and(|key| key.accepts(&[digest; 32], NOW_US))
}

fn finds_user(reader: &Reader, digest: u8) -> bool {
    reader.current.load().basic_user(&[digest; 32]).is_some()
}

#[test]
fn the_password_before_a_rotation_ends_by_itself_and_is_forgotten_within_a_minute() {
    let mut reader = reader();
    let end_us = NOW_US + 1_000_000;
    reader.apply(change(
        0,
        1,
        vec![user(1, None), user(2, Some(([1; 32], end_us)))],
    ));
    let works = |reader: &Reader, digest: u8, now_us| {
        let (snapshot, digest) = (reader.current.load(), [digest; 32]);
        let found = snapshot.basic_user(&digest);
        found.is_some_and(|(_, user)| user.accepts(&digest, now_us))
    };
    assert!(works(&reader, 1, end_us - 1) && !works(&reader, 1, end_us));
    assert!(works(&reader, 2, end_us));
    reader.forget_ended(end_us);
    assert!(finds_user(&reader, 1), "its minute has not ended");
    reader.forget_ended(end_us + 60_000_000);
    assert!(!finds_user(&reader, 1) && finds_user(&reader, 2));
}

#[test]
fn rotations_and_revocations_of_a_user_leave_no_digest() {
    let mut reader = reader();
    let end_us = NOW_US + 3_600_000_000;
    let other = |digest: u8| {
        let id = CredentialId::BasicUser(BasicUserId::from_raw(7));
        Event::Credential(credential(id, digest))
    };
    let found = |reader: &Reader| {
        (1..=9)
            .filter(|&it| finds_user(reader, it))
            .collect::<Vec<_>>()
    };
    reader.apply(change(0, 1, vec![user(1, None), other(9)]));
    reader.apply(change(1, 2, vec![user(2, Some(([1; 32], end_us)))]));
    assert_eq!(found(&reader), [1, 2, 9]);
    // Rotated again with grace, and then with none.
    reader.apply(change(2, 3, vec![user(3, Some(([2; 32], end_us)))]));
    assert_eq!(found(&reader), [2, 3, 9]);
    reader.apply(change(3, 4, vec![user(4, None)]));
    assert_eq!(found(&reader), [4, 9]);
    // The same again, as after a full message that was read between two changes.
    reader.apply(change(4, 5, vec![user(4, None)]));
    assert_eq!(found(&reader), [4, 9]);
    reader.apply(change(5, 6, vec![user(5, Some(([4; 32], end_us)))]));
    reader.apply(change(6, 7, vec![Event::CredentialGone(USER)]));
    assert_eq!(found(&reader), [9]);
    // Resumed after it was suspended.
    reader.apply(change(7, 8, vec![user(5, Some(([4; 32], end_us)))]));
    assert_eq!(found(&reader), [4, 5, 9]);
    reader.replace(change(0, 9, vec![user(6, None)]));
    assert_eq!(found(&reader), [6]);
}

#[test]
fn a_credential_leaves_the_snapshot_after_its_latest_expiry() {
    let until = |id, expires_us| {
        Event::Credential(ServedCredential {
            expires_us,
            ..credential(id, 1)
        })
    };
    let holds = |reader: &Reader| {
        let snapshot = reader.current.load();
        let has_key = snapshot.api_keys.find(&KEY_ID).is_some();
        (has_key, snapshot.basic_user(&[1; 32]).is_some())
    };
    let (first_us, last_us) = (NOW_US + 1, NOW_US + 600_000_001);
    let mut reader = reader();
    let events = [KEY, USER].map(|id| until(id, Some(first_us)));
    reader.apply(change(0, 1, events.into()));
    // Its owner extended it.
    let events = [KEY, USER].map(|id| until(id, Some(last_us)));
    reader.apply(change(1, 2, events.into()));
    reader.forget_ended(first_us + 60_000_000);
    assert_eq!(holds(&reader), (true, true));
    reader.apply(change(2, 3, vec![until(USER, None)]));
    reader.forget_ended(last_us + 60_000_000);
    assert_eq!(holds(&reader), (false, true));
    reader.forget_ended(i64::MAX);
    assert_eq!(holds(&reader), (false, true));
}

#[test]
fn tokens_share_their_reach_and_the_last_one_frees_it() {
    let token = |id, scope: &str, expires_us| {
        Event::Token(ServedToken {
            id: TokenId::from_raw(id),
            digest: [7; 32],
            subject: TokenSubject::Client(ClientId::from_raw(6)),
            scopes: vec![scope.to_owned()],
            resource: None,
            issued_us: NOW_US,
            expires_us,
        })
    };
    let mut reader = reader();
    let minutes = |count: i64| NOW_US + count * 60_000_000;
    let events = vec![
        token(1, "read", minutes(1)),
        token(2, "read", minutes(2)),
        token(3, "write", minutes(9)),
    ];
    reader.apply(change(0, 1, events));
    let scopes = |reader: &Reader, id| {
        let snapshot = reader.current.load();
        let token = snapshot.tokens.find(&TokenId::from_raw(id));
        token.map(|token| token.reach.scopes.clone())
    };
    assert_eq!(reader.nouns.reaches.len(), 2);
    reader.forget_ended(minutes(2));
    assert_eq!(scopes(&reader, 1), None);
    assert_eq!(scopes(&reader, 2), Some(vec!["read".to_owned()]));
    reader.forget_ended(minutes(3));
    assert_eq!(reader.nouns.reaches.len(), 1);
    reader.forget_ended(minutes(10));
    assert_eq!(scopes(&reader, 3), None);
    assert!(reader.nouns.reaches.is_empty());
}

#[test]
fn tokens_and_revocations_leave_the_snapshot_after_their_end() {
    let mut reader = reader();
    let end_us = NOW_US + 60_000_000;
    let token = ServedToken {
        id: TokenId::from_raw(7),
        digest: [7; 32],
        subject: TokenSubject::Application(APPLICATION, Environment::Production),
        scopes: Vec::new(),
        resource: None,
        issued_us: NOW_US,
        expires_us: end_us,
    };
    let revoked = |id| {
        Event::TokenRevoked(RevokedToken {
            id: TokenId::from_raw(id),
            expires_us: end_us,
        })
    };
    let events = vec![Event::Token(token.clone()), revoked(8)];
    reader.apply(change(0, 1, events));
    let has = |reader: &Reader| {
        let snapshot = reader.current.load();
        let revoked = snapshot
            .revoked_tokens
            .find(&TokenId::from_raw(8))
            .is_some();
        let token = snapshot.tokens.find(&TokenId::from_raw(7));
        (token.is_some_and(|it| it.is(&[7; 32])), revoked)
    };
    assert_eq!(has(&reader), (true, true));
    reader.forget_ended(end_us + 60_000_000);
    assert_eq!(has(&reader), (false, false));
    let events = vec![Event::Token(token), revoked(7)];
    reader.apply(change(1, 2, events));
    assert_eq!(has(&reader), (false, false), "an opaque token is removed");
}

#[test]
fn only_events_that_may_end_a_key_or_token_change_the_security_epoch() {
    let mut reader = reader();
    let client = |tokens_from_us| {
        Event::Client(ServedClient {
            id: ClientId::from_raw(6),
            application: APPLICATION,
            environment: Environment::Production,
            scopes: Vec::new(),
            tokens_from_us,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
        })
    };
    let voided = Event::Application(ServedApplication {
        id: APPLICATION,
        owner: UserId::from_raw(9),
        limits: Vec::new(),
        tokens_from_us: 5,
    });
    let revoked = Event::TokenRevoked(RevokedToken {
        id: TokenId::from_raw(8),
        expires_us: NOW_US,
    });
    let ends = [
        (plan(5), false),
        (application(vec![]), false),
        (subscription(SUBSCRIPTION, Status::Active), false),
        (key(1), false),
        (key(2), true),
        (client(0), true),
        (client(9), true),
        (voided, true),
        (revoked, true),
        (Event::SigningKeyGone(SigningKeyId::from_raw(1)), true),
        (
            Event::CredentialGone(CredentialId::Client(ClientId::from_raw(6))),
            true,
        ),
        (Event::CredentialGone(KEY), true),
    ];
    for (sequence, (event, moves)) in (0..).zip(ends) {
        let before = reader.current.load().security_epoch;
        let told = format!("{event:?}");
        reader.apply(change(sequence, sequence + 1, vec![event]));
        let after = reader.current.load().security_epoch;
        assert_eq!(after != before, moves, "{told}");
    }
}

#[test]
fn a_gap_changes_nothing_and_requests_a_full_snapshot() {
    let reader = reader();
    let current = Arc::clone(&reader.current);
    let (messages, receiver) = mpsc::channel(8);
    let (applied, mut seen) = watch::channel(Applied::default());
    let thread = std::thread::spawn(move || reader.follow(receiver, &applied));
    let acknowledged = |seen: &mut watch::Receiver<Applied>, sequence| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let reached = seen.wait_for(|it| it.sequence == sequence);
        runtime.block_on(reached).unwrap().sequence
    };
    messages
        .try_send(Message::Whole(change(0, 5, vec![plan(5)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 5), 5);
    messages
        .try_send(Message::Change(change(7, 8, vec![key(1)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 0), 0);
    let finds = || current.load().api_keys.find(&KEY_ID).is_some();
    assert!(!finds());
    messages
        .try_send(Message::Whole(change(0, 8, vec![key(1)])))
        .unwrap();
    assert_eq!(acknowledged(&mut seen, 8), 8);
    assert!(finds());
    drop(messages);
    thread.join().unwrap();
}

/// A version with a SOAP service as REST.
struct AsRest {
    id: VersionId,
    api: ApiId,
    context: &'static str,
    name: &'static str,
    state: State,
    is_default: bool,
}

const AS_REST: AsRest = AsRest {
    id: VERSION,
    api: ApiId::from_raw(1),
    context: "/shop",
    name: "1.0",
    state: State::Published,
    is_default: false,
};
/// An invalid plan.
const UNREADABLE: &[u8] = b"\xff";

impl AsRest {
    fn event(self, plan: &[u8]) -> Event {
        let version = compile::Version {
            id: self.id,
            api: self.api,
            kind: Kind::SoapToRest,
            api_name: "Pets".to_owned(),
            context: self.context.into(),
            name: self.name.into(),
            is_default: self.is_default,
            other_versions: Vec::new(),
            state: self.state,
            revision: RevisionId::from_raw(1),
            deprecation: None,
        };
        let digest = "0".repeat(64);
        let configuration: Configuration = serde_json::from_value(serde_json::json!({
            "soap": {
                "contract": digest, "service": "S", "port": "P", "rest": { "resources": [] },
            },
        }))
        .unwrap();
        let contract = Contract {
            plan: plan.into(),
            ..Contract::default()
        };
        let documents = Documents {
            contract: Some(&contract),
            ..Documents::default()
        };
        let served = compile(&version, &configuration, documents, NOW_US);
        Event::Version(Box::new(served.unwrap().unwrap()))
    }
}

fn empty_plan() -> Vec<u8> {
    ServicePlan::default().to_bytes()
}

fn soap_to_rest(reader: &Reader) -> Option<Arc<SoapToRest>> {
    let snapshot = reader.current.load();
    let (version, _) = snapshot.contexts.find(b"/shop/1.0")?;
    version.soap_to_rest.clone()
}

/// The version that a path leads to.
fn found(reader: &Reader, path: &[u8]) -> Option<VersionId> {
    let snapshot = reader.current.load();
    let (version, _) = snapshot.contexts.find(path)?;
    Some(version.served.id)
}

fn refused(reader: &Reader) -> Vec<VersionId> {
    let refused = reader.applied().refused.into_iter();
    refused.map(|it| it.version).collect()
}

#[test]
fn a_service_as_rest_is_prepared_once() {
    let mut reader = reader();
    let other = ServicePlan {
        namespaces: vec!["".into(), "urn:other".into()],
        ..ServicePlan::default()
    };
    reader.apply(change(0, 1, vec![AS_REST.event(&empty_plan())]));
    let first = soap_to_rest(&reader).unwrap();
    let default = AsRest {
        is_default: true,
        ..AS_REST
    };
    reader.apply(change(1, 2, vec![default.event(&empty_plan())]));
    assert!(Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
    let blocked = AsRest {
        state: State::Blocked,
        ..AS_REST
    };
    reader.apply(change(2, 3, vec![blocked.event(&empty_plan())]));
    reader.replace(change(0, 3, vec![AS_REST.event(&empty_plan())]));
    assert!(Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
    reader.apply(change(3, 4, vec![AS_REST.event(&other.to_bytes())]));
    assert!(!Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
}

#[test]
fn an_unusable_version_keeps_its_predecessor_until_it_is_fixed_or_deleted() {
    let mut reader = reader();
    reader.apply(change(0, 1, vec![AS_REST.event(&empty_plan())]));
    let first = soap_to_rest(&reader).unwrap();
    reader.apply(change(1, 2, vec![AS_REST.event(UNREADABLE)]));
    assert!(Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
    let applied = reader.applied();
    assert_eq!((applied.sequence, refused(&reader)), (2, vec![VERSION]));
    assert!(applied.refused[0].reason.contains("plan cannot be read"));

    // Changes of other versions do not affect it, and neither does a full message.
    reader.apply(change(2, 3, vec![plan(5)]));
    reader.replace(change(0, 4, vec![AS_REST.event(UNREADABLE)]));
    assert!(Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
    let uncompiled = RefusedVersion {
        version: VERSION,
        reason: "damaged".into(),
    };
    let uncompiled = Event::VersionRefused(uncompiled);
    reader.replace(change(0, 5, vec![uncompiled.clone()]));
    assert!(Arc::ptr_eq(&first, &soap_to_rest(&reader).unwrap()));
    assert_eq!(refused(&reader), [VERSION]);

    reader.apply(change(5, 6, vec![AS_REST.event(&empty_plan())]));
    assert_eq!(refused(&reader), []);
    reader.apply(change(6, 7, vec![uncompiled.clone()]));
    let blocked = AsRest {
        state: State::Blocked,
        ..AS_REST
    };
    reader.apply(change(7, 8, vec![blocked.event(UNREADABLE)]));
    assert!(soap_to_rest(&reader).is_none() && refused(&reader).is_empty());
    reader.apply(change(8, 9, vec![uncompiled]));
    assert_eq!(found(&reader, b"/shop/1.0"), Some(VERSION));
    reader.apply(change(9, 10, vec![Event::VersionGone(VERSION)]));
    assert_eq!(
        (found(&reader, b"/shop/1.0"), refused(&reader)),
        (None, vec![])
    );

    // At startup there is no predecessor to keep.
    reader.apply(change(10, 11, vec![AS_REST.event(UNREADABLE)]));
    assert_eq!(found(&reader, b"/shop/1.0"), None);
    assert_eq!(refused(&reader), [VERSION]);
}

#[test]
fn the_kept_predecessor_of_a_refused_version_gives_way_to_a_new_one_in_its_place() {
    let (other, default) = (VersionId::from_raw(9), VersionId::from_raw(10));
    for context in ["/shop", "/shop/inner"] {
        for is_whole in [false, true] {
            let mut reader = reader();
            reader.apply(change(0, 1, vec![AS_REST.event(&empty_plan())]));
            let moved = AsRest {
                context: "/elsewhere",
                ..AS_REST
            };
            let newcomer = AsRest {
                id: other,
                api: ApiId::from_raw(2),
                context,
                name: "2.0",
                ..AS_REST
            };
            let newcomer = newcomer.event(&empty_plan());
            let events = vec![moved.event(UNREADABLE), newcomer];
            match is_whole {
                true => reader.replace(change(0, 2, events)),
                false => reader.apply(change(1, 2, events)),
            }
            assert_eq!(found(&reader, b"/shop/1.0"), None);
            let path = format!("{context}/2.0");
            assert_eq!(found(&reader, path.as_bytes()), Some(other));
        }
    }
    // Within one API both are served, and the current default stays the default.
    for is_whole in [false, true] {
        let mut reader = reader();
        let was_default = AsRest {
            is_default: true,
            ..AS_REST
        };
        reader.apply(change(0, 1, vec![was_default.event(&empty_plan())]));
        let newer = AsRest {
            id: default,
            name: "2.0",
            is_default: true,
            ..AS_REST
        };
        let events = vec![newer.event(&empty_plan()), AS_REST.event(UNREADABLE)];
        match is_whole {
            true => reader.replace(change(0, 2, events)),
            false => reader.apply(change(1, 2, events)),
        }
        assert_eq!(found(&reader, b"/shop/1.0"), Some(VERSION));
        assert_eq!(found(&reader, b"/shop/2.0"), Some(default));
        assert_eq!(found(&reader, b"/shop/x"), Some(default));
    }
}

#[test]
fn two_versions_that_swap_places_in_one_change_are_both_served() {
    let mut reader = reader();
    let at = |id: i64, context| AsRest {
        id: VersionId::from_raw(id),
        api: ApiId::from_raw(id),
        context,
        ..AS_REST
    };
    let plan = empty_plan();
    let events = vec![at(7, "/one").event(&plan), at(8, "/two").event(&plan)];
    reader.apply(change(0, 1, events));
    let events = vec![at(7, "/two").event(&plan), at(8, "/one").event(&plan)];
    reader.apply(change(1, 2, events));
    assert_eq!(found(&reader, b"/two/1.0"), Some(VersionId::from_raw(7)));
    assert_eq!(found(&reader, b"/one/1.0"), Some(VersionId::from_raw(8)));
}
