//! A client of Tollgate's control plane: does what a user with `curl` would do to set up a run.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use ureq::http::StatusCode;

use crate::scenario::Step;

pub mod credentials;

const PASSWORD: &str = "a password for the bench only";
const AT_ONCE: usize = 8;
const WAIT: Duration = Duration::from_secs(30);
/// The amount of limits that should never be reached: finite, so that calls are counted.
pub const AMOUNT: u64 = 1_000_000_000;
/// The limits of a plan, in the order in which worlds with few limits use them.
const LIMITS: [(&str, &str); 8] = [
    ("subscription", "minute"),
    ("application", "hour"),
    ("api", "day"),
    ("subscription", "hour"),
    ("application", "minute"),
    ("subscription", "day"),
    ("application", "day"),
    ("subscription", "second"),
];

/// Values of placeholders in steps, such as `{upstream}`.
pub type Names = BTreeMap<String, String>;

/// A signed-in administrator.
#[derive(Debug, Clone)]
pub struct Control {
    agent: ureq::Agent,
    /// Listen address of the control plane.
    pub address: SocketAddr,
    base: String,
    cookie: String,
    csrf: String,
}

impl Control {
    /// Signs in with the one-time password, changes it, and signs in again.
    ///
    /// # Errors
    /// Fails if the control plane rejects a request or does not respond.
    pub fn sign_in(address: SocketAddr, user: &str, one_time: &str) -> anyhow::Result<Self> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(WAIT))
            .max_idle_connections_per_host(AT_ONCE)
            .build();
        let mut control = Self {
            agent: config.into(),
            address,
            base: format!("http://{address}/api/v1"),
            cookie: String::new(),
            csrf: String::new(),
        };
        control.begin(user, one_time)?;
        let change = json!({ "password": one_time, "new_password": PASSWORD });
        control.call("PUT", "/session/password", Some(&change))?;
        control.begin(user, PASSWORD)?;
        Ok(control)
    }

    fn begin(&mut self, user: &str, password: &str) -> anyhow::Result<()> {
        let body = json!({ "name": user, "password": password });
        let mut answer = self
            .agent
            .post(format!("{}/session", self.base))
            .send_json(&body)
            .context("signing in")?;
        let cookie = answer
            .headers()
            .get("set-cookie")
            .and_then(|it| it.to_str().ok());
        let cookie = cookie.context("signing in returned no cookie")?;
        cookie
            .split(';')
            .next()
            .unwrap_or_default()
            .clone_into(&mut self.cookie);
        let session: Value = answer
            .body_mut()
            .read_json()
            .context("reading the session")?;
        self.csrf = text(&session, "/csrf")?;
        Ok(())
    }

    /// Sends a request; returns the response's JSON, or null if it has no body.
    ///
    /// # Errors
    /// Fails if the control plane rejects the request or does not respond.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send(method, path, "application/json", body)
    }

    /// Like [`Self::call`], with a body of any media type.
    fn send(
        &self,
        method: &str,
        path: &str,
        media_type: &str,
        body: String,
    ) -> anyhow::Result<Value> {
        let (status, text) = self.ask(method, path, media_type, body)?;
        ensure!(status.is_success(), "{method} {path}: {status}: {text}");
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Sends one request and returns the response, whatever its status.
    fn ask(
        &self,
        method: &str,
        path: &str,
        media_type: &str,
        body: String,
    ) -> anyhow::Result<(StatusCode, String)> {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("cookie", &self.cookie)
            .header("x-csrf-token", &self.csrf)
            .header("content-type", media_type)
            .body(body)
            .with_context(|| format!("{method} {path}"))?;
        let mut answer = self
            .agent
            .run(request)
            .with_context(|| format!("{method} {path}"))?;
        let status = answer.status();
        let text = answer
            .body_mut()
            .read_to_string()
            .context("reading a response")?;
        Ok((status, text))
    }

    /// Runs steps in order; returns the known names and those that the steps kept.
    ///
    /// # Errors
    /// Fails if a step fails, or keeps a value that is missing in the response.
    pub fn run(&self, steps: &[Step], known: &Names) -> anyhow::Result<Names> {
        let mut names = known.clone();
        for step in steps {
            let path = filled(&step.path, &names);
            let answer = match &step.content_type {
                Some(media_type) => {
                    let text = filled(&step.text, &names);
                    self.send(&step.method, &path, media_type, text)?
                }
                None => {
                    let body = step.body.as_ref().map(|body| filled_in(body, &names));
                    self.call(&step.method, &path, body.as_ref())?
                }
            };
            for (name, pointer) in &step.keep {
                names.insert(name.clone(), text(&answer, pointer)?);
            }
        }
        Ok(names)
    }

    /// Creates a plan with `limits` limits of `amount` calls each; with 0, an unlimited one.
    ///
    /// # Errors
    /// Fails if the control plane rejects it, or if there are more limits than supported here.
    pub fn plan(&self, limits: u64, amount: u64) -> anyhow::Result<String> {
        let count = usize::try_from(limits)?;
        ensure!(
            count <= LIMITS.len(),
            "limits must be between 0 and {}",
            LIMITS.len()
        );
        let limits = LIMITS[..count]
            .iter()
            .map(|(per, window)| json!({ "per": per, "amount": amount, "window": window }));
        let body = match count {
            0 => json!({ "name": "bench", "unlimited": true }),
            _ => json!({ "name": "bench", "limits": limits.collect::<Vec<_>>() }),
        };
        let plan = self.call("POST", "/plans", Some(&body))?;
        text(&plan, "/id")
    }

    /// Returns the number of calls recorded for a version.
    ///
    /// # Errors
    /// Fails if the control plane rejects the request.
    pub fn recorded(&self, version: &str) -> anyhow::Result<u64> {
        let path = format!("/usage?version={version}&group_by=version");
        let usage = self.call("GET", &path, None)?;
        let rows = usage["rows"].as_array().context("usage has no rows")?;
        Ok(rows.iter().filter_map(|row| row["calls"].as_u64()).sum())
    }

    /// Returns the number of recorded calls by response status.
    ///
    /// # Errors
    /// Fails if the control plane rejects the request.
    pub fn recorded_by_status(&self, version: &str) -> anyhow::Result<BTreeMap<u16, u64>> {
        let path = format!("/usage?version={version}&group_by=status");
        let usage = self.call("GET", &path, None)?;
        let rows = usage["rows"].as_array().context("usage has no rows")?;
        let row = |row: &Value| {
            let status = u16::try_from(row["status"].as_u64()?).ok()?;
            Some((status, row["calls"].as_u64()?))
        };
        let rows: Option<_> = rows.iter().map(row).collect();
        rows.context("usage has a row without status or calls")
    }
}

fn text(value: &Value, pointer: &str) -> anyhow::Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found
        .with_context(|| format!("no {pointer} in {value}"))?
        .to_owned())
}

fn filled(text: &str, names: &Names) -> String {
    names.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

fn filled_in(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => Value::String(filled(text, names)),
        Value::Array(items) => items.iter().map(|item| filled_in(item, names)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, it)| (name.clone(), filled_in(it, names)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}
