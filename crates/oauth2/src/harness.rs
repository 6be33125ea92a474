//! Test harness: a key manager over a real store, with a clock that the test sets, gateways that
//! follow, lag or have a full disk as the test chooses, and clients that call it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{ApplicationId, Id, UserId};
use tollgate_model::lifecycle::{Readiness, State, transition};
use tollgate_model::user::Role;
use tollgate_store::apis::{self, Api, NewApi};
use tollgate_store::applications::{self, Application};
use tollgate_store::clients::{self, Authentication, Client, Grant, TokenForm};
use tollgate_store::credentials::{Secret, Terms};
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::users::{self, User};
use tollgate_store::versions::NewVersion;
use tollgate_store::{Store, StoreError, Tx};
use tollgate_tokens::generated;
use tollgate_tokens::key::SigningKey;
use tower::ServiceExt as _;

use crate::attempts::Attempts;
use crate::gateways::Gateways;
use crate::random::{self, Ids};
use crate::server::{AuthorizationServer, Parts};

mod answer;
mod attempts;
mod gateways;
mod program;

pub(crate) use answer::Answer;
pub(crate) use attempts::{FakeAttempts, WAIT_S};
pub(crate) use gateways::{Do, FakeGateways};
pub(crate) use program::{Program, assertion, change};

/// Initial time of the clock, Unix microseconds.
pub(crate) const NOW_US: i64 = 1_790_000_000_000_000;
pub(crate) const SECOND_US: i64 = 1_000_000;
pub(crate) const ISSUER: &str = "https://control.example";
pub(crate) const AUDIENCE: &str = "https://gateway.example/base";
/// Maximum number of opaque tokens of an application.
pub(crate) const OPAQUE_TOKENS_MAX: u64 = 6;
/// Maximum length of a token that gateways accept, bytes.
const TOKEN_BYTES_MAX: usize = 4_000;
pub(crate) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Marks a request that came over plain HTTP from another machine.
#[derive(Clone)]
pub(crate) struct Plain;

pub(crate) struct House {
    _folder: tempfile::TempDir,
    pub(crate) server: AuthorizationServer,
    pub(crate) store: Store,
    pub(crate) gateways: Arc<FakeGateways>,
    pub(crate) attempts: Arc<FakeAttempts>,
    clock: Arc<AtomicI64>,
    ids: Ids,
    owner: UserId,
    router: Router,
}

/// Returns the grant of a new client.
pub(crate) fn grant(form: TokenForm) -> Grant {
    Grant {
        scopes: ["read", "write"].map(str::to_owned).to_vec(),
        form,
        lifetime_s: 900,
    }
}

pub(crate) const JWT: TokenForm = TokenForm::Jwt(Algorithm::Es256);

/// Returns the parts of a key manager that issues tokens.
fn parts(
    store: &Store,
    gateways: &Arc<FakeGateways>,
    attempts: &Arc<FakeAttempts>,
    clock: &Arc<AtomicI64>,
) -> Parts {
    let clock = Arc::clone(clock);
    Parts {
        store: store.clone(),
        issuer: Some(ISSUER.to_owned()),
        audience: Some(AUDIENCE.to_owned()),
        gateways: Arc::clone(gateways) as Arc<dyn Gateways>,
        attempts: Arc::clone(attempts) as Arc<dyn Attempts>,
        now_us: Arc::new(move || clock.load(Ordering::Relaxed)),
        came_safely: |extensions| extensions.get::<Plain>().is_none(),
        signing_key_days: 90,
        opaque_tokens_max: OPAQUE_TOKENS_MAX,
        token_bytes_max: TOKEN_BYTES_MAX,
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::named(Some(ISSUER), Some(AUDIENCE)).await
    }

    pub(crate) async fn named(issuer: Option<&str>, audience: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tollgate.db"))
            .await
            .unwrap();
        let clock = Arc::new(AtomicI64::new(NOW_US));
        let gateways = Arc::new(FakeGateways::default());
        let attempts = Arc::<FakeAttempts>::default();
        let server = AuthorizationServer::new(Parts {
            issuer: issuer.map(str::to_owned),
            audience: audience.map(str::to_owned),
            ..parts(&store, &gateways, &attempts, &clock)
        });
        let ids = Ids::default();
        let owner = User {
            id: ids.next(NOW_US).unwrap(),
            name: "ann".to_owned(),
            one_time: false,
            roles: vec![Role::Developer],
            disabled: false,
            created_us: NOW_US,
        };
        let mut tx = store.write().await.unwrap();
        users::create(&mut tx, &owner, "none").await.unwrap();
        tx.commit().await.unwrap();
        Self {
            _folder: folder,
            router: crate::router(server.clone()),
            server,
            store,
            gateways,
            attempts,
            clock,
            ids,
            owner: owner.id,
        }
    }

    /// Restarts the key manager.
    pub(crate) fn restarted(self) -> Self {
        let parts = parts(&self.store, &self.gateways, &self.attempts, &self.clock);
        let server = AuthorizationServer::new(parts);
        Self {
            router: crate::router(server.clone()),
            server,
            ..self
        }
    }

    pub(crate) fn id<K: tollgate_model::id::Kind>(&self) -> Id<K> {
        self.ids.next(self.now_us()).unwrap()
    }

    pub(crate) fn now_us(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Moves the clock forward, or back.
    pub(crate) fn wait(&self, us: i64) {
        self.clock.fetch_add(us, Ordering::Relaxed);
    }

    /// Runs one write and commits it.
    pub(crate) async fn write(&self, work: impl AsyncFnOnce(&mut Tx) -> Result<(), StoreError>) {
        let mut tx = self.store.write().await.unwrap();
        work(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub(crate) async fn application(&self) -> ApplicationId {
        let id: ApplicationId = self.id();
        let application = Application {
            id,
            name: id.to_string(),
            owner: self.owner,
            description: String::new(),
            limits: Vec::new(),
            created_us: NOW_US,
            tokens_from_us: 0,
        };
        self.write(async |tx| applications::create(tx, &application).await)
            .await;
        id
    }

    /// Creates a client with a secret, of an application of its own.
    pub(crate) async fn client(&self, form: TokenForm) -> Program {
        let application = self.application().await;
        self.client_of(application, grant(form)).await
    }

    pub(crate) async fn client_of(&self, application: ApplicationId, grant: Grant) -> Program {
        let made = generated::client_secret(random::bytes().unwrap());
        let secret = Authentication::Secret(Secret {
            digest: made.digest,
            hint: made.hint,
            previous: None,
        });
        let client = self.new_client(application, secret, grant).await;
        Program {
            secret: made.text,
            ..client
        }
    }

    /// Creates a client that signs assertions with a key of this algorithm.
    pub(crate) async fn signing_client(&self, algorithm: Algorithm) -> Program {
        let key = SigningKey::generate(algorithm).unwrap();
        let jwks = json!({"keys": [key.public().jwk("its-key")]}).to_string();
        let application = self.application().await;
        let keys = Authentication::PrivateKeyJwt { jwks };
        let client = self.new_client(application, keys, grant(JWT)).await;
        Program {
            key: Some(key),
            ..client
        }
    }

    async fn new_client(
        &self,
        application: ApplicationId,
        authentication: Authentication,
        grant: Grant,
    ) -> Program {
        let client = Client {
            id: self.id(),
            terms: Terms {
                application,
                name: "till".to_owned(),
                environment: Environment::Production,
                not_before_us: None,
                expires_us: None,
                allowed: Allowed::default(),
                created_by: self.owner,
                created_us: NOW_US,
                revoked_us: None,
                suspended_us: None,
                last_used_us: None,
                try_it: false,
            },
            authentication,
            grant,
            tokens_from_us: 0,
        };
        self.write(async |tx| clients::create(tx, &client).await)
            .await;
        Program {
            id: client.id,
            application,
            secret: String::new(),
            key: None,
        }
    }

    /// Creates an API with the version `1.0`, deployed as a prototype if `is_served`.
    pub(crate) async fn api(&self, context: &str, is_served: bool) {
        let new = NewApi {
            api: Api {
                id: self.id(),
                name: context.to_owned(),
                kind: Kind::Rest,
                context: context.to_owned(),
                description: String::new(),
                owner: self.owner,
                created_us: NOW_US,
            },
            version: NewVersion {
                id: self.id(),
                name: "1.0".to_owned(),
                draft: Configuration::default(),
                created_us: NOW_US,
            },
            document: None,
            contract: None,
        };
        let revision = NewRevision {
            id: self.id(),
            version: new.version.id,
            configuration: Configuration::default(),
            note: String::new(),
            created_by: self.owner,
            created_us: NOW_US,
        };
        let has = Readiness {
            operations: true,
            upstream: true,
            plans: 1,
        };
        let step = Enter {
            version: new.version.id,
            transition: transition(State::Created, State::Prototyped, has).unwrap(),
            deploy: Some(revision.id),
            deprecation: None,
            by: self.owner,
            note: "",
            at_us: NOW_US,
        };
        self.write(async |tx| {
            apis::create(tx, &new).await?;
            if is_served {
                revisions::create(tx, &revision).await?;
                lifecycle::enter(tx, &step).await?;
            }
            Ok(())
        })
        .await;
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: head.status,
            headers: head.headers,
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
        }
    }

    pub(crate) async fn show(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    /// Posts a form as it is, with these additional header fields.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)], form: &str) -> Answer {
        let mut request = Request::post(path);
        if !fields.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let body = Body::from(form.to_owned());
        self.send(request.body(body).unwrap()).await
    }

    /// Posts a form for a client that authenticates by HTTP Basic.
    pub(crate) async fn call(&self, path: &str, client: &Program, form: &str) -> Answer {
        let basic = client.basic();
        self.post(path, &[("authorization", &basic)], form).await
    }

    /// Requests a token with these additional parameters.
    pub(crate) async fn ask(&self, client: &Program, more: &str) -> Answer {
        let form = format!("grant_type=client_credentials{more}");
        self.call("/oauth2/token", client, &form).await
    }

    /// Returns a new token.
    pub(crate) async fn token(&self, client: &Program) -> String {
        let answer = self.ask(client, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["access_token"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn introspect(&self, client: &Program, token: &str) -> Value {
        let form = format!("token={token}");
        let answer = self.call("/oauth2/introspect", client, &form).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    pub(crate) async fn is_active(&self, client: &Program, token: &str) -> bool {
        let body = self.introspect(client, token).await;
        let is_active = body["active"].as_bool().unwrap();
        assert_eq!(is_active, body != json!({"active": false}), "{body}");
        is_active
    }

    pub(crate) async fn revoke(&self, client: &Program, token: &str) -> Answer {
        let form = format!("token={token}");
        self.call("/oauth2/revoke", client, &form).await
    }

    /// Returns the names of the published keys.
    pub(crate) async fn published(&self) -> Vec<String> {
        let keys = self.show("/oauth2/jwks").await.body["keys"].clone();
        let keys = keys.as_array().unwrap().iter();
        keys.map(|key| key["kid"].as_str().unwrap().to_owned())
            .collect()
    }
}
