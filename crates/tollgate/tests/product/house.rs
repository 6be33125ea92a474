//! What most tests begin with: a running process, an administrator, a published API, a consumer.

use serde_json::json;
use tollgate_testkit::control::{Consumer, Imported};
use tollgate_testkit::{Behaviour, Builder, Control, Tollgate, Upstream, http};

/// An OpenAPI document with the operations that the tests call.
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

/// The binary with data of its own.
pub(crate) fn builder() -> Builder {
    Builder::new(env!("CARGO_BIN_EXE_tollgate")).unwrap()
}

/// A running process with a published API and one who may call it.
pub(crate) struct House {
    pub(crate) tollgate: Tollgate,
    pub(crate) admin: Control,
    pub(crate) upstream: Upstream,
    pub(crate) api: Imported,
    pub(crate) consumer: Consumer,
}

impl House {
    /// `/pets/1.0`, under an unlimited plan, with an upstream that answers `hello`.
    pub(crate) async fn new() -> Self {
        Self::with(&builder(), json!([])).await
    }

    /// The same under a plan of these limits, in a process of these settings.
    pub(crate) async fn with(builder: &Builder, limits: serde_json::Value) -> Self {
        let tollgate = builder.start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        let upstream = Upstream::start(Behaviour::text("hello")).unwrap();
        admin.plan("tested", limits).await.unwrap();
        let api = admin
            .import("Pets", ("/pets", "1.0"), DOCUMENT)
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

    /// A GET of `/pets` with the consumer's key.
    pub(crate) fn request(&self) -> Vec<u8> {
        get("/pets/1.0/pets", &self.consumer.key)
    }

    /// That request on a connection of its own.
    pub(crate) async fn call(&self) -> tollgate_testkit::Answer {
        http::call(self.tollgate.gateway, &self.request())
            .await
            .unwrap()
    }
}

/// Makes a user with these roles and signs in as that.
pub(crate) async fn user(
    admin: &Control,
    tollgate: &Tollgate,
    (name, roles): (&str, &[&str]),
) -> Control {
    let wanted = json!({ "name": name, "roles": roles });
    let made = admin
        .done("POST", "/api/v1/users", Some(&wanted))
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
