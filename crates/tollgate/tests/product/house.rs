//! The setup of most tests: a running process, an administrator, a published API, a consumer.

use serde_json::json;
use tollgate_testkit::control::{Consumer, Imported};
use tollgate_testkit::{Behaviour, Builder, Control, Tollgate, Upstream, http, settled};

/// An OpenAPI document with the operations called by the tests.
pub(crate) const DOCUMENT: &str = r"
openapi: 3.0.3
info: { title: Pets, version: '1.0' }
paths:
  /pets:
    get: { responses: { '200': { description: all } } }
    post: { responses: { '201': { description: made } } }
  /pets/{pet}:
    get:
      parameters: [{ name: pet, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: one } }
";

/// A builder for the binary with its own data, in which the administrator has set a password.
pub(crate) fn builder() -> Builder {
    settled::builder(env!("CARGO_BIN_EXE_tollgate")).unwrap()
}

/// A builder for a first start: its data directory does not exist.
pub(crate) fn first_start() -> Builder {
    Builder::new(env!("CARGO_BIN_EXE_tollgate")).unwrap()
}

/// A running process with a published API and a consumer.
pub(crate) struct House {
    pub(crate) tollgate: Tollgate,
    pub(crate) admin: Control,
    pub(crate) upstream: Upstream,
    pub(crate) api: Imported,
    pub(crate) consumer: Consumer,
}

impl House {
    /// Publishes `/pets/1.0` under an unlimited plan, with an upstream that returns `hello`.
    pub(crate) async fn new() -> Self {
        Self::with(&builder(), json!([])).await
    }

    /// Like [`Self::new`], under a plan with these limits, in a process with these settings.
    pub(crate) async fn with(builder: &Builder, limits: serde_json::Value) -> Self {
        let tollgate = builder.start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        let upstream = Upstream::start(Behaviour::text("hello")).unwrap();
        admin.plan("tested", limits).await.unwrap();
        let api = admin
            .import("Pets", "/pets", "1.0", DOCUMENT)
            .await
            .unwrap();
        admin.upstream(&api.version, &upstream.url()).await.unwrap();
        admin.attach(&api.version, &["tested"]).await.unwrap();
        admin.lifecycle(&api.version, "published").await.unwrap();
        let consumer = admin
            .consumer("shop", &api.version, "tested")
            .await
            .unwrap();
        Self {
            tollgate,
            admin,
            upstream,
            api,
            consumer,
        }
    }

    /// Changes the draft and deploys it.
    pub(crate) async fn redeploy(&self, change: serde_json::Value) {
        let version = &self.api.version;
        let path = format!("/api/v1/versions/{version}/draft");
        let done = self.admin.done("PATCH", &path, Some(&change));
        done.await.unwrap();
        let revision = self.admin.revision(version).await.unwrap();
        self.admin.deploy(version, revision).await.unwrap();
    }

    /// Returns a GET of `/pets` with the consumer's key.
    pub(crate) fn request(&self) -> Vec<u8> {
        get("/pets/1.0/pets", &self.consumer.key)
    }

    /// Sends that request on a connection of its own.
    pub(crate) async fn call(&self) -> tollgate_testkit::Answer {
        http::call(self.tollgate.gateway, &self.request())
            .await
            .unwrap()
    }
}

/// Creates a user with these roles and signs in as that user.
pub(crate) async fn user(
    admin: &Control,
    tollgate: &Tollgate,
    (name, roles): (&str, &[&str]),
) -> Control {
    let body = json!({ "name": name, "roles": roles });
    let made = admin
        .done("POST", "/api/v1/users", Some(&body))
        .await
        .unwrap();
    let one_time = made["one_time_password"].as_str().unwrap();
    let stranger = Control::stranger(tollgate.control);
    stranger.settle_in(name, one_time).await.unwrap()
}

/// A GET with a key.
pub(crate) fn get(target: &str, key: &str) -> Vec<u8> {
    http::request("GET", target, &[("apikey", key)], b"")
}
