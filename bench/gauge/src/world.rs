//! What the gateway serves: three versions, two plans, applications with keys and a client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tollgate_counters::Counters;
use tollgate_gateway::{Plane, Reserved, Settings, TokenSettings};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Documents};
use tollgate_model::credential::{Allowed, CredentialId, Environment};
use tollgate_model::feed::{
    Applied, Change, Event, Message, ServedApplication, ServedClient, ServedCredential, ServedPlan,
    ServedSigningKey, ServedSubscription,
};
use tollgate_model::id::{
    ApiId, ApiKeyId, ApplicationId, ClientId, PlanId, RevisionId, SigningKeyId, SubscriptionId,
    TokenId, UserId, VersionId,
};
use tollgate_model::lifecycle::State;
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::{Limit, Per, Window};
use tollgate_model::subscription::Status;
use tollgate_tokens::key::SigningKey;
use tollgate_tokens::{api_key, jwt};

const KEYS: u32 = 10_000;
const KEYS_PER_APPLICATION: u32 = 20;
/// Keys that calls are made with: every hundredth.
const CALLERS: usize = 100;
const FREE: PlanId = PlanId::from_raw(1);
const LIMITED: PlanId = PlanId::from_raw(2);
/// Limits that are never reached.
const AMOUNT: u64 = 1_000_000_000;
const GATEWAY: &str = "https://gateway.example";
const SIGNER: &str = "signer";

/// What the gateway serves, and the credentials of callers.
#[derive(Debug)]
pub(crate) struct World {
    events: Vec<Event>,
    pub(crate) keys: Vec<String>,
    /// Keys with the ids of others.
    pub(crate) wrong_keys: Vec<String>,
    pub(crate) tokens: Vec<String>,
}

impl World {
    pub(crate) fn new(back_end: SocketAddr) -> Result<Self> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        let now_us = i64::try_from(now.as_micros())?;
        let now_ms = u64::try_from(now.as_millis())?;
        let mut world = Self {
            events: vec![plan(FREE, &[], now_us), plan(LIMITED, &LIMITS, now_us)],
            keys: Vec::new(),
            wrong_keys: Vec::new(),
            tokens: Vec::new(),
        };
        for (at, (name, policies)) in VERSIONS.into_iter().enumerate() {
            let policies: Value = serde_json::from_str(policies)?;
            world.events.push(version(at, name, &policies, back_end)?);
        }
        for at in 0..KEYS / KEYS_PER_APPLICATION {
            world.add_application(i64::from(at) + 1);
        }
        for at in 0..KEYS {
            world.add_key(ApiKeyId::new(now_ms, spread(at)), at);
        }
        world.add_tokens(now.as_secs(), now_ms)?;
        let step = world.keys.len() / CALLERS;
        world.keys = world.keys.into_iter().step_by(step).collect();
        Ok(world)
    }

    fn add_application(&mut self, raw: i64) {
        let application = ApplicationId::from_raw(raw);
        self.events.push(Event::Application(ServedApplication {
            id: application,
            owner: UserId::from_raw(raw),
            limits: Vec::new(),
            tokens_from_us: 0,
        }));
        let count = i64::try_from(VERSIONS.len()).unwrap_or(i64::MAX);
        for at in 0..count {
            let subscription = ServedSubscription {
                id: SubscriptionId::from_raw(raw * count + at),
                application,
                version: VersionId::from_raw(at + 1),
                plan: if at == 0 { FREE } else { LIMITED },
                status: Status::Active,
                scopes: Vec::new(),
            };
            self.events.push(Event::Subscription(subscription));
        }
    }

    fn add_key(&mut self, id: ApiKeyId, at: u32) {
        let secret = |salt: u8| {
            let mut secret = [salt; 16];
            secret[..4].copy_from_slice(&at.to_be_bytes());
            secret
        };
        let key = api_key::make(Environment::Production, id, secret(0));
        self.events.push(Event::Credential(ServedCredential {
            id: CredentialId::ApiKey(id),
            digest: key.digest,
            previous: None,
            application: ApplicationId::from_raw(i64::from(at / KEYS_PER_APPLICATION) + 1),
            environment: Environment::Production,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
        }));
        self.keys.push(key.text);
        if self.wrong_keys.len() < CALLERS {
            let wrong = api_key::make(Environment::Production, id, secret(1));
            self.wrong_keys.push(wrong.text);
        }
    }

    /// Adds a client and tokens of it.
    fn add_tokens(&mut self, now_s: u64, now_ms: u64) -> Result<()> {
        let key = SigningKey::generate(Algorithm::Es256)?;
        self.events.push(Event::SigningKey(ServedSigningKey {
            id: SigningKeyId::from_raw(1),
            name: SIGNER.to_owned(),
            algorithm: key.algorithm(),
            public: key.public().bytes().to_vec(),
        }));
        let client = ClientId::from_raw(1);
        self.events.push(Event::Client(ServedClient {
            id: client,
            application: ApplicationId::from_raw(1),
            environment: Environment::Production,
            scopes: Vec::new(),
            tokens_from_us: 0,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
        }));
        for at in 0..CALLERS {
            let claims = json!({
                "iss": GATEWAY,
                "sub": client,
                "client_id": client,
                "aud": GATEWAY,
                "exp": now_s + 3_600,
                "iat": now_s,
                "jti": TokenId::new(now_ms, u32::try_from(at)?),
            });
            self.tokens.push(jwt::sign(&key, SIGNER, "at+jwt", &claims));
        }
        Ok(())
    }

    /// Starts a gateway that serves this.
    pub(crate) fn start(&self) -> Result<Plane> {
        let settings = settings();
        let reserved = Reserved::new(&settings)?;
        let counters = Arc::new(Counters::new([7; 16], 1_000_000));
        let (messages, receiver) = mpsc::channel(1);
        messages.try_send(Message::Whole(Change {
            after: 0,
            sequence: 1,
            events: self.events.clone(),
        }))?;
        let applied = watch::Sender::new(Applied::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let plane = Plane::start(settings, reserved, counters, receiver, applied);
        Ok(runtime.block_on(plane)?)
    }
}

/// Contexts and policies of the versions.
const VERSIONS: [(&str, &str); 3] = [
    ("/free", "{}"),
    ("/limited", "{}"),
    ("/stored", r#"{ "cache": { "ttl_s": 3600 } }"#),
];

/// The limits of the lab's plan (bench/lab/src/control.rs).
const LIMITS: [(Per, Window); 3] = [
    (Per::SUBSCRIPTION, Window::MINUTE),
    (Per::APPLICATION, Window::HOUR),
    (Per::API, Window::DAY),
];

fn version(at: usize, context: &str, policies: &Value, back_end: SocketAddr) -> Result<Event> {
    let id = i64::try_from(at)? + 1;
    let version = compile::Version {
        id: VersionId::from_raw(id),
        api: ApiId::from_raw(id),
        kind: Kind::Rest,
        api_name: context.to_owned(),
        context: context.into(),
        name: "1.0".into(),
        is_default: false,
        other_versions: Vec::new(),
        state: State::Published,
        revision: RevisionId::from_raw(id),
        deprecation: None,
    };
    let configuration: Configuration = serde_json::from_value(json!({
        "operations": [
            { "method": "GET", "path": "/bytes/{count}" },
            { "method": "POST", "path": "/echo" },
        ],
        "security": { "api_key": {}, "oauth2": {} },
        "upstream": { "url": format!("http://{back_end}") },
        "policies": policies,
    }))?;
    let compiled = compile::compile(&version, &configuration, Documents::default(), 0);
    let compiled = compiled.map_err(|faults| anyhow!("{context} is invalid: {faults:?}"))?;
    let compiled = compiled.context("a published version is served")?;
    Ok(Event::Version(Box::new(compiled)))
}

fn plan(id: PlanId, limits: &[(Per, Window)], now_us: i64) -> Event {
    let limits = limits.iter().map(|&(per, window)| {
        let limit = Limit::requests(per, AMOUNT, window);
        ServedLimit::compile(&limit, now_us)
    });
    Event::Plan(ServedPlan {
        id,
        name: format!("plan-{}", id.raw()),
        limits: limits.collect(),
        counts_failures: true,
    })
}

/// Different low bits for successive numbers, as those of real ids are.
fn spread(at: u32) -> u32 {
    const GOLDEN: u32 = 0x9e37_79b1;
    at.wrapping_mul(GOLDEN) >> 10
}

/// The product's defaults (crates/tollgate/src/settings/declared.rs), with one worker and access
/// tokens.
fn settings() -> Settings {
    let seconds = Duration::from_secs;
    Settings {
        http: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
        https: None,
        public_url: None,
        portal_origins: Vec::new(),
        tokens: Some(TokenSettings {
            issuer: GATEWAY.to_owned(),
            audience: GATEWAY.to_owned(),
            remembered_max: 16_384,
        }),
        redirect_port: None,
        health_path: None,
        trusted_proxies: Default::default(),
        workers: 1,
        head_bytes_max: 16 * 1024,
        fields_max: 100,
        target_bytes_max: 8 * 1024,
        body_bytes_max: 100 << 20,
        buffered_bytes_max: 256 << 20,
        cache_bytes_max: 32 << 20,
        x_ratelimit_headers: false,
        connections_max: 20_000,
        connections_per_address_max: 0,
        requests_per_connection_max: 1_000_000,
        handshake_timeout: seconds(10),
        header_timeout: seconds(10),
        body_idle_timeout: seconds(30),
        keep_alive_timeout: seconds(75),
        pool_wait_timeout: seconds(5),
        exchange_timeout: seconds(300),
        transfer_timeout: None,
        transfer_bytes_per_second_min: 100,
        transfer_window: seconds(60),
        upstream_rules: Default::default(),
        records_max: 65_536,
        texts: None,
    }
}
