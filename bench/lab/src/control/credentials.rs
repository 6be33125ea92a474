//! Applications and their credentials: API keys and users of HTTP Basic from the control plane,
//! access tokens from the key manager, for OAuth2 clients of the applications.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use ureq::http::StatusCode;

use super::{AT_ONCE, Control, text};
use crate::credential::Credential;

/// Credentials of a kind per application: more than 20 valid ones are rejected.
pub const PER_APPLICATION: u64 = 20;
/// Lifetime of tokens: the maximum that Tollgate allows.
pub const TOKEN_LIFETIME: Duration = Duration::from_secs(3_600);
/// Maximum attempts to create a credential that every gateway applies in time.
const TRIES: u32 = 10;
/// The token endpoint of the key manager.
pub const TOKEN: &str = "/oauth2/token";
/// The revocation endpoint.
const REVOKE: &str = "/oauth2/revoke";
/// The body of a token request.
pub const TOKEN_REQUEST: &str = "grant_type=client_credentials";
/// Media type of that body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// Number of credentials needed of each kind.
pub type Wanted = BTreeMap<Credential, u64>;

/// The versions that callers subscribe to, and the plan.
#[derive(Debug, Clone, Copy)]
pub struct Subscribed<'a> {
    /// Ids of versions.
    pub versions: &'a [String],
    /// The plan's id.
    pub plan: &'a str,
}

/// The credentials of all applications.
#[derive(Debug)]
pub struct Credentials {
    /// By kind; those of an application are consecutive.
    texts: BTreeMap<Credential, Vec<String>>,
    clients: Vec<Client>,
    /// When the oldest current token was requested.
    issued: Instant,
}

/// An OAuth2 client.
#[derive(Debug, Clone)]
struct Client {
    /// The kind of its tokens.
    kind: Credential,
    /// Its id and secret, encoded for `Authorization: Basic`.
    pair: String,
    tokens: u64,
}

/// The credentials and clients of an application.
#[derive(Debug, Default)]
struct Given {
    texts: Vec<(Credential, String)>,
    clients: Vec<Client>,
}

impl Credentials {
    /// Returns all credentials of a kind as sent in a call; those of an application are
    /// consecutive.
    #[must_use]
    pub fn of(&self, kind: Credential) -> Cow<'_, [String]> {
        let made = self
            .texts
            .get(&kind.made_of())
            .map_or(&[][..], Vec::as_slice);
        match kind {
            Credential::Forged => made.iter().map(|token| forged(token)).collect(),
            _ => Cow::Borrowed(made),
        }
    }

    /// Returns the clients with tokens of a kind, encoded for `Authorization: Basic`.
    #[must_use]
    pub fn clients(&self, kind: Credential) -> Vec<String> {
        let clients = self.clients.iter().filter(|client| client.kind == kind);
        clients.map(|client| client.pair.clone()).collect()
    }

    /// Whether tokens expire within this time.
    #[must_use]
    pub fn end_within(&self, time: Duration) -> bool {
        !self.clients.is_empty() && self.issued.elapsed() + time >= TOKEN_LIFETIME
    }

    /// Replaces all tokens with new ones.
    ///
    /// # Errors
    /// Fails if the key manager rejects a request, or if `stop` is set.
    pub fn renew(&mut self, control: &Control, stop: &AtomicBool) -> anyhow::Result<()> {
        self.issued = Instant::now();
        let tokens = each(self.clients.len() as u64, stop, |index| {
            let client = &self.clients[usize::try_from(index)?];
            let tokens = (0..client.tokens).map(|_| control.token(client));
            Ok((client.kind, tokens.collect::<anyhow::Result<Vec<_>>>()?))
        })?;
        self.texts.retain(|kind, _| !kind.is_token());
        for (kind, tokens) in tokens {
            self.texts.entry(kind).or_default().extend(tokens);
        }
        Ok(())
    }
}

impl Control {
    /// Creates the wanted credentials, in applications that are subscribed to every version.
    ///
    /// # Errors
    /// Fails if the control plane or the key manager rejects a request, or if `stop` is set.
    pub fn credentials(
        &self,
        wanted: &Wanted,
        subscribed: Subscribed<'_>,
        stop: &AtomicBool,
    ) -> anyhow::Result<Credentials> {
        let most = wanted.values().copied().max().unwrap_or_default();
        let given = each(most.div_ceil(PER_APPLICATION), stop, |index| {
            self.application(index, wanted, subscribed)
        })?;
        let mut credentials = Credentials {
            texts: BTreeMap::new(),
            clients: Vec::new(),
            issued: Instant::now(),
        };
        for Given { texts, clients } in given {
            for (kind, text) in texts {
                credentials.texts.entry(kind).or_default().push(text);
            }
            credentials.clients.extend(clients);
        }
        credentials.renew(self, stop)?;
        Ok(credentials)
    }

    fn application(
        &self,
        index: u64,
        wanted: &Wanted,
        subscribed: Subscribed<'_>,
    ) -> anyhow::Result<Given> {
        let body = json!({ "name": format!("bench {index}") });
        let made = self.call("POST", "/applications", Some(&body))?;
        let application = text(&made, "/id")?;
        for version in subscribed.versions {
            let plan = subscribed.plan;
            let body = json!({ "application": application, "version": version, "plan": plan });
            self.call("POST", "/subscriptions", Some(&body))?;
        }
        let path = format!("/applications/{application}");
        let mut given = Given::default();
        for (&kind, &all) in wanted {
            let count = PER_APPLICATION.min(all.saturating_sub(index * PER_APPLICATION));
            match kind {
                Credential::Opaque | Credential::Jwt if count > 0 => {
                    given.clients.push(self.client(&path, kind, count)?);
                }
                Credential::Opaque | Credential::Jwt | Credential::Forged => {}
                Credential::ApiKey => {
                    for number in 0..count {
                        given.texts.push((kind, self.key(&path, number)?));
                    }
                }
                Credential::Basic => {
                    for number in 0..count {
                        let name = format!("bench-{index}-{number}");
                        given.texts.push((kind, self.basic_user(&path, &name)?));
                    }
                }
            }
        }
        Ok(given)
    }

    fn key(&self, application: &str, number: u64) -> anyhow::Result<String> {
        let path = format!("{application}/keys");
        let made = self.made(&path, |_| json!({ "name": format!("key {number}") }))?;
        text(&made, "/key")
    }

    /// Creates a user of HTTP Basic. Names cannot be reused, so each attempt has a different one.
    fn basic_user(&self, application: &str, name: &str) -> anyhow::Result<String> {
        let path = format!("{application}/basic-users");
        let named = |attempt| json!({ "user_name": format!("{name}-{attempt}") });
        let made = self.made(&path, named)?;
        pair(&made, "/user_name", "/password")
    }

    fn client(&self, application: &str, kind: Credential, tokens: u64) -> anyhow::Result<Client> {
        let path = format!("{application}/clients");
        let token = json!({ "form": kind.name(), "lifetime_s": TOKEN_LIFETIME.as_secs() });
        let made = self.made(&path, |_| json!({ "name": kind.name(), "token": token }))?;
        Ok(Client {
            kind,
            pair: pair(&made, "/id", "/client_secret")?,
            tokens,
        })
    }

    /// Creates something that gateways must apply, with a body for each attempt.
    fn made(&self, path: &str, body: impl Fn(u32) -> Value) -> anyhow::Result<Value> {
        until_known(path, |attempt| {
            let body = body(attempt).to_string();
            self.ask("POST", path, "application/json", body)
        })
    }

    /// Requests a token with the grant `client_credentials` (RFC 6749, section 4.4).
    fn token(&self, client: &Client) -> anyhow::Result<String> {
        let granted = until_known("a token", |_| {
            self.ask_as(client, TOKEN, TOKEN_REQUEST.to_owned())
        })?;
        text(&granted, "/access_token")
    }

    /// Issues `count` tokens to a client and revokes each (RFC 7009).
    ///
    /// # Errors
    /// Fails if the control plane or the key manager rejects a request, or if `stop` is set.
    pub fn revoke_tokens(&self, count: u64, stop: &AtomicBool) -> anyhow::Result<()> {
        let body = json!({ "name": "bench of revoked tokens" });
        let made = self.call("POST", "/applications", Some(&body))?;
        let application = format!("/applications/{}", text(&made, "/id")?);
        let client = self.client(&application, Credential::Jwt, 0)?;
        each(count, stop, |_| {
            // Consists of characters that a form need not escape.
            let request = format!("token={}", self.token(&client)?);
            let (status, answer) = self.ask_as(&client, REVOKE, request)?;
            ensure!(status.is_success(), "revoking a token: {status}: {answer}");
            Ok(())
        })?;
        Ok(())
    }

    /// Sends a form to the key manager as a client.
    fn ask_as(
        &self,
        client: &Client,
        path: &str,
        form: String,
    ) -> anyhow::Result<(StatusCode, String)> {
        let request = ureq::http::Request::post(format!("http://{}{path}", self.address))
            .header("authorization", format!("Basic {}", client.pair))
            .header("content-type", FORM)
            .body(form)?;
        let answer = self.agent.run(request);
        let mut answer = answer.with_context(|| format!("POST {path}"))?;
        Ok((answer.status(), answer.body_mut().read_to_string()?))
    }
}

/// Repeats a request until the credential is usable. One that a gateway does not apply in time is
/// created but not returned, so another is requested.
fn until_known(
    what: &str,
    ask: impl Fn(u32) -> anyhow::Result<(StatusCode, String)>,
) -> anyhow::Result<Value> {
    let mut last = String::new();
    for attempt in 0..TRIES {
        let (status, answer) = ask(attempt)?;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            last = answer;
            continue;
        }
        ensure!(status.is_success(), "{what}: {status}: {answer}");
        return Ok(serde_json::from_str(&answer)?);
    }
    bail!("{what}, {TRIES} times: {last}")
}

/// Returns the token with a different signature.
fn forged(token: &str) -> String {
    let (signed, signature) = token.rsplit_once('.').unwrap_or((token, ""));
    let first = if signature.starts_with('A') { 'B' } else { 'A' };
    format!("{signed}.{first}{}", signature.get(1..).unwrap_or_default())
}

/// Encodes name and secret for `Authorization: Basic`.
fn pair(made: &Value, name: &str, secret: &str) -> anyhow::Result<String> {
    let pair = format!("{}:{}", text(made, name)?, text(made, secret)?);
    Ok(STANDARD.encode(pair))
}

/// Runs `count` parts of a job, several at once, and returns their results.
fn each<T: Send>(
    count: u64,
    stop: &AtomicBool,
    part: impl Fn(u64) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let (next, done) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let panicked = || anyhow::anyhow!("a worker panicked");
    let work = || -> anyhow::Result<()> {
        loop {
            ensure!(!stop.load(Ordering::Relaxed), "stopped");
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            let made = part(index)?;
            done.lock().map_err(|_| panicked())?.push(made);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let mut ended = workers.into_iter().map(|worker| worker.join());
        ended.try_for_each(|it| it.map_err(|_| panicked())?)
    })?;
    done.into_inner().map_err(|_| panicked())
}
