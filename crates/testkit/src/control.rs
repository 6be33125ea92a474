//! The control plane's client: signs in, and has one call for each step of the main job.

use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::http::{self, Answer};
use crate::process::Tollgate;
use crate::secrets;

/// The password that tests set in place of a one-time password.
pub const PASSWORD: &str = "correct horse battery staple";

/// The name of the first administrator.
const ADMINISTRATOR: &str = "administrator";

/// A signed-in user of the control plane.
#[derive(Debug, Clone)]
pub struct Control {
    pub(crate) address: SocketAddr,
    /// The fields that authenticate the user.
    fields: Vec<(String, String)>,
}

/// The ids and the key that the main job needs to call an API.
#[derive(Debug, Clone)]
pub struct Consumer {
    /// The application's id.
    pub application: String,
    /// The subscription's id.
    pub subscription: String,
    /// The key's id.
    pub key_id: String,
    /// The key.
    pub key: String,
}

/// A version created by [`Control::import`].
#[derive(Debug, Clone)]
pub struct Imported {
    /// The API's id.
    pub api: String,
    /// The version's id.
    pub version: String,
}

impl Control {
    /// A client that is not signed in.
    #[must_use]
    pub fn stranger(address: SocketAddr) -> Self {
        let fields = Vec::new();
        Self { address, fields }
    }

    /// Signs in as the first administrator: with the printed one-time password, which it changes,
    /// or with the changed one if that was used before.
    ///
    /// # Errors
    /// Fails if the control plane refuses.
    pub async fn administrator(tollgate: &Tollgate) -> anyhow::Result<Self> {
        let stranger = Self::stranger(tollgate.control);
        match &tollgate.password {
            Some((name, one_time)) => stranger.settle_in(name, one_time).await,
            None => stranger.sign_in(ADMINISTRATOR, PASSWORD).await,
        }
    }

    /// Signs in with a one-time password, replaces it with [`PASSWORD`] and signs in with that.
    ///
    /// # Errors
    /// Fails if the control plane refuses.
    pub async fn settle_in(&self, name: &str, one_time: &str) -> anyhow::Result<Self> {
        let user = self.sign_in(name, one_time).await?;
        let change = json!({ "password": one_time, "new_password": PASSWORD });
        user.done("PUT", "/api/v1/session/password", Some(&change))
            .await?;
        self.sign_in(name, PASSWORD).await
    }

    /// Signs in.
    ///
    /// # Errors
    /// Fails if the control plane refuses.
    pub async fn sign_in(&self, name: &str, password: &str) -> anyhow::Result<Self> {
        let credentials = json!({ "name": name, "password": password });
        let answer = self
            .send("POST", "/api/v1/session", Some(&credentials))
            .await?;
        let session = accepted("signing in", &answer)?;
        let cookie = answer.field("set-cookie").context("a cookie")?;
        let cookie = cookie.split(';').next().unwrap_or_default();
        let (_, session_secret) = cookie.split_once('=').context("a cookie")?;
        secrets::made(self.address, session_secret);
        let csrf = session["csrf"].as_str().context("csrf")?.to_owned();
        Ok(Self {
            address: self.address,
            fields: vec![
                ("Cookie".into(), cookie.to_owned()),
                ("X-CSRF-Token".into(), csrf),
            ],
        })
    }

    /// The same user at another address, for example after a restart.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        let fields = self.fields.clone();
        Self { address, fields }
    }

    /// Sends a request with or without a JSON body; returns any response.
    ///
    /// # Errors
    /// Fails if the connection does.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Answer> {
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send_bytes(method, path, "application/json", body.as_bytes())
            .await
    }

    /// Sends a request; returns any response. An empty media type is not sent.
    ///
    /// # Errors
    /// Fails if the connection does.
    pub async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        media_type: &str,
        body: &[u8],
    ) -> anyhow::Result<Answer> {
        let mut fields = self.fields();
        if !body.is_empty() && !media_type.is_empty() {
            fields.push(("Content-Type", media_type));
        }
        fields.push(("Connection", "close"));
        let request = http::request(method, path, &fields, body);
        let answer = http::call(self.address, &request).await?;
        if let Some(secret) = secrets::exchanged(self.address, body, answer.seen()) {
            bail!("{method} {path} shows {secret:?}, which was shown before");
        }
        Ok(answer)
    }

    /// The fields that authenticate the user.
    pub(crate) fn fields(&self) -> Vec<(&str, &str)> {
        let fields = self.fields.iter();
        fields.map(|(name, value)| (&**name, &**value)).collect()
    }

    /// Sends a request that must succeed; returns its JSON response.
    ///
    /// # Errors
    /// Fails if the connection does, or the status is not 200 to 299.
    pub async fn done(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let answer = self.send(method, path, body).await?;
        accepted(&format!("{method} {path}"), &answer)
    }

    /// Replaces the current resource at a path (sends its `ETag` as `If-Match`).
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn replace(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let user = self.having_seen(path).await?;
        user.done("PUT", path, Some(body)).await
    }

    /// Replaces the OpenAPI document (JSON or YAML) of a version's draft.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn replace_document(&self, version: &str, document: &str) -> anyhow::Result<Value> {
        let path = format!("/api/v1/versions/{version}");
        let user = self.having_seen(&format!("{path}/draft")).await?;
        let path = format!("{path}/document");
        let answer = user.send_bytes("PUT", &path, "application/yaml", document.as_bytes());
        accepted("PUT document", &answer.await?)
    }

    /// Returns the same user, with the `ETag` of the resource at a path as `If-Match`.
    async fn having_seen(&self, path: &str) -> anyhow::Result<Self> {
        let present = self.send("GET", path, None).await?;
        let etag = present.field("etag").context("an ETag")?;
        let mut user = self.clone();
        user.fields.push(("If-Match".into(), etag.to_owned()));
        Ok(user)
    }

    /// Uploads an OpenAPI document (JSON or YAML) as an API with its first version.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn import(
        &self,
        name: &str,
        context: &str,
        version: &str,
        document: &str,
    ) -> anyhow::Result<Imported> {
        let path = format!(
            "/api/v1/apis/import?name={name}&context={}&version={version}",
            context.replace('/', "%2F")
        );
        let answer = self.send_bytes("POST", &path, "application/yaml", document.as_bytes());
        let made = accepted("import", &answer.await?)?;
        let id = |pointer: &str| {
            let id = made.pointer(pointer).and_then(Value::as_str);
            id.map(str::to_owned).context("the id of what was made")
        };
        Ok(Imported {
            api: id("/api/id")?,
            version: id("/version/id")?,
        })
    }

    /// Creates a plan with these limits; unlimited without any.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn plan(&self, name: &str, limits: Value) -> anyhow::Result<String> {
        let plan = match limits.as_array().is_some_and(|limits| !limits.is_empty()) {
            true => json!({ "name": name, "limits": limits }),
            false => json!({ "name": name, "unlimited": true }),
        };
        id(&self.done("POST", "/api/v1/plans", Some(&plan)).await?)
    }

    /// Sets the upstream of a version's draft.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn upstream(&self, version: &str, url: &str) -> anyhow::Result<()> {
        let path = format!("/api/v1/versions/{version}/draft");
        let change = json!({ "upstream": { "url": url } });
        self.done("PATCH", &path, Some(&change)).await?;
        Ok(())
    }

    /// Attaches plans (names or ids) to a version.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn attach(&self, version: &str, plans: &[&str]) -> anyhow::Result<()> {
        let path = format!("/api/v1/versions/{version}/plans");
        self.done("PUT", &path, Some(&json!(plans))).await?;
        Ok(())
    }

    /// Moves a version through its lifecycle.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn lifecycle(&self, version: &str, to: &str) -> anyhow::Result<()> {
        let path = format!("/api/v1/versions/{version}/lifecycle");
        self.done("POST", &path, Some(&json!({ "to": to }))).await?;
        Ok(())
    }

    /// Freezes the draft as a revision; returns its number.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn revision(&self, version: &str) -> anyhow::Result<u64> {
        let path = format!("/api/v1/versions/{version}/revisions");
        let made = self.done("POST", &path, Some(&json!({}))).await?;
        made["number"].as_u64().context("the revision's number")
    }

    /// Deploys a revision.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn deploy(&self, version: &str, revision: u64) -> anyhow::Result<()> {
        let path = format!("/api/v1/versions/{version}/deployment");
        let body = json!({ "revision": revision });
        self.done("PUT", &path, Some(&body)).await?;
        Ok(())
    }

    /// Creates an application; returns its id.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn application(&self, name: &str) -> anyhow::Result<String> {
        let body = json!({ "name": name });
        id(&self
            .done("POST", "/api/v1/applications", Some(&body))
            .await?)
    }

    /// Subscribes an application to a version under a plan; returns the subscription's id.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn subscribe(
        &self,
        application: &str,
        version: &str,
        plan: &str,
    ) -> anyhow::Result<String> {
        let body = json!({ "application": application, "version": version, "plan": plan });
        id(&self
            .done("POST", "/api/v1/subscriptions", Some(&body))
            .await?)
    }

    /// Creates a production key; returns its id and text.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn key(&self, application: &str) -> anyhow::Result<(String, String)> {
        let path = format!("/api/v1/applications/{application}/keys");
        let body = json!({ "name": "test", "environment": "production" });
        let made = self.done("POST", &path, Some(&body)).await?;
        let key = made["key"].as_str().context("the key")?;
        Ok((id(&made)?, key.to_owned()))
    }

    /// Creates an application with a subscription and a key.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn consumer(
        &self,
        name: &str,
        version: &str,
        plan: &str,
    ) -> anyhow::Result<Consumer> {
        let application = self.application(name).await?;
        let subscription = self.subscribe(&application, version, plan).await?;
        let (key_id, key) = self.key(&application).await?;
        Ok(Consumer {
            application,
            subscription,
            key_id,
            key,
        })
    }
}

pub(crate) fn accepted(what: &str, answer: &Answer) -> anyhow::Result<Value> {
    if !(200..300).contains(&answer.status) {
        bail!("{what}: {} {}", answer.status, answer.text());
    }
    Ok(answer.json())
}

pub(crate) fn id(made: &Value) -> anyhow::Result<String> {
    let id = made["id"].as_str().context("an id")?;
    Ok(id.to_owned())
}
