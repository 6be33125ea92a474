//! What tests need to serve connections: a version, its consumers, and a worker.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tollgate_counters::Counters;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Documents};
use tollgate_model::credential::{Allowed, CredentialId, Digest, Environment};
use tollgate_model::feed::{
    Applied, Change, Event, Message, ServedApplication, ServedCredential, ServedPlan,
    ServedSubscription,
};
use tollgate_model::id::{
    ApiId, ApplicationId, PlanId, RevisionId, SubscriptionId, UserId, VersionId,
};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use crate::buffered::Buffered;
use crate::feed::Reader;
use crate::listener::{self, Listener};
use crate::places::Places;
use crate::record::{self, Records};
use crate::settings::{Settings, TextSettings};
use crate::snapshot::Current;
use crate::stored::Caches;
use crate::wire::peer::tests::settings;
use crate::worker::{Shared, Worker};

const VERSION: VersionId = VersionId::from_raw(2);
/// A minute of a loaded machine, for the whole test.
const WORKER_TIMES: Duration = Duration::from_secs(60);

/// The version `/pets/1.0` with this configuration and its policies.
pub(crate) fn version(configuration: Value) -> Event {
    let version = compile::Version {
        id: VERSION,
        api: ApiId::from_raw(1),
        kind: Kind::Rest,
        api_name: "Pets".to_owned(),
        context: "/pets".into(),
        name: "1.0".into(),
        is_default: false,
        other_versions: Vec::new(),
        state: State::Published,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    };
    let configuration: Configuration = serde_json::from_value(configuration).unwrap();
    let steps = tollgate_mediation::compile::compile(&configuration, Kind::Rest);
    let documents = Documents {
        steps: &steps.unwrap().to_bytes().unwrap(),
        ..Documents::default()
    };
    let compiled = compile::compile(&version, &configuration, documents, 0);
    Event::Version(Box::new(compiled.unwrap().unwrap()))
}

/// A plan without limits.
pub(crate) fn plan(id: i64, name: &str) -> Event {
    Event::Plan(ServedPlan {
        id: PlanId::from_raw(id),
        name: name.into(),
        limits: Vec::new(),
        counts_failures: true,
    })
}

/// An application with a subscription of the version under this plan.
pub(crate) fn application(id: i64, plan: i64) -> [Event; 2] {
    let application = ApplicationId::from_raw(id);
    let served = ServedApplication {
        id: application,
        owner: UserId::from_raw(id),
        limits: Vec::new(),
        tokens_from_us: 0,
    };
    let subscription = ServedSubscription {
        id: SubscriptionId::from_raw(id),
        application,
        version: VERSION,
        plan: PlanId::from_raw(plan),
        status: Status::Active,
        scopes: Vec::new(),
    };
    [
        Event::Application(served),
        Event::Subscription(subscription),
    ]
}

/// A credential of an application.
pub(crate) fn credential(
    id: CredentialId,
    application: i64,
    environment: Environment,
    digest: Digest,
) -> Event {
    Event::Credential(ServedCredential {
        id,
        digest,
        previous: None,
        application: ApplicationId::from_raw(application),
        environment,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
    })
}

pub(crate) fn counters() -> Arc<Counters> {
    Arc::new(Counters::new([7; 16], 1_000))
}

/// The snapshot of these events.
pub(crate) fn current(events: Vec<Event>) -> Arc<Current> {
    let current = Arc::<Current>::default();
    let reader = Reader::new(Arc::clone(&current), counters(), Caches::new(0), "");
    let (messages, receiver) = mpsc::channel(1);
    let whole = Change {
        after: 0,
        sequence: 1,
        events,
    };
    messages.try_send(Message::Whole(whole)).unwrap();
    drop(messages);
    reader.follow(receiver, &watch::Sender::new(Applied::default()));
    current
}

pub(crate) fn worker(current: Arc<Current>) -> Worker {
    worker_with_texts(current, None).0
}

/// Creates a worker that keeps these texts, with the reading end of its rings.
pub(crate) fn worker_with_texts(
    current: Arc<Current>,
    texts: Option<TextSettings>,
) -> (Worker, Records) {
    let settings = Settings {
        body_bytes_max: 1_000,
        connections_max: 8,
        requests_per_connection_max: u32::MAX,
        header_timeout: WORKER_TIMES,
        body_idle_timeout: WORKER_TIMES,
        pool_wait_timeout: WORKER_TIMES,
        keep_alive_timeout: WORKER_TIMES,
        exchange_timeout: WORKER_TIMES,
        records_max: 1_000,
        texts,
        ..(*settings("")).clone()
    };
    let places = Places::new(settings.places(), settings.trusted_proxies.clone());
    let (writer, records) = record::ring(settings.records_max, settings.texts, 7);
    let shared = Shared {
        current,
        places,
        buffered: Buffered::new(1_000),
        caches: Caches::new(1 << 20),
        counters: counters(),
        clock: Arc::default(),
    };
    let worker = Worker::new(Arc::new(settings), shared, writer, Arc::default());
    (worker, records)
}

/// Listens at a free port. Needs a runtime.
pub(crate) fn listen() -> (SocketAddr, Listener) {
    let socket = listener::reserve("127.0.0.1:0".parse().unwrap(), 1).unwrap();
    let tcp = listener::listen(socket.into_iter().next().unwrap()).unwrap();
    let address = tcp.local_addr().unwrap();
    let tcp = tokio::net::TcpListener::from_std(tcp).unwrap();
    (address, Listener::new(tcp, address, None))
}
