//! Test harness: a whole control plane over a real store and a real socket, on a clock that the
//! test sets, and users that call it.
//!
//! ```ignore
//! let house = House::new().await;
//! let ann = house.person("ann", &[Role::Developer]).await;
//! let answer = house.post("/api/v1/applications", json!({"name": "shop"})).by(&ann).await;
//! assert_eq!(answer.status, 201);
//! ```

use std::future::{Future, IntoFuture, pending};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tollgate_model::id::UserId;
use tollgate_model::user::Role;
use tollgate_store::access_tokens::{self, AccessToken};
use tollgate_store::users::{self, User};
use tollgate_tokens::session::make_access_token;

use crate::clock::Clock;
use crate::gateways::GatewayPlaces;
use crate::hosts::Hosts;
use crate::serve::Listener;
use crate::serve::{Served, serve_these};
use crate::state::{Control, Parts};
use crate::{frame, random, router};

mod parts;

use parts::parts;
pub(crate) use parts::{CONTRACT_CACHE_BYTES_MAX, feed};

/// Maximum number of applications per user.
pub(crate) const APPLICATIONS_PER_USER_MAX: u64 = 200;
/// Initial time of a new house's clock, in Unix microseconds.
pub(crate) const NOW_US: i64 = 1_790_000_000_000_000;

/// A control plane that serves a socket.
pub(crate) struct House {
    folder: tempfile::TempDir,
    pub(crate) control: Control,
    clock: Arc<AtomicI64>,
    address: SocketAddr,
}

/// A user, with a personal access token.
pub(crate) struct Person {
    pub(crate) id: UserId,
    pub(crate) token: String,
}

/// A session, as a browser holds it.
pub(crate) struct SignedIn {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
    pub(crate) password_change: bool,
}

impl House {
    /// Starts a new installation.
    pub(crate) async fn new() -> Self {
        Self::configured(|_| ()).await
    }

    /// Starts a new installation with these host names.
    pub(crate) async fn at(hosts: Hosts) -> Self {
        Self::configured(|parts| parts.hosts = hosts).await
    }

    /// Starts a new installation with gateways at these places.
    pub(crate) async fn reached_at(gateways: GatewayPlaces) -> Self {
        Self::configured(|parts| parts.gateways = gateways).await
    }

    /// Starts a new installation after `configure` has changed the usual parts.
    pub(crate) async fn configured(configure: impl FnOnce(&mut Parts)) -> Self {
        Self::start(router::registered(), configure).await
    }

    /// Starts a new installation with other routes.
    pub(crate) async fn with(routes: Router<Control>) -> Self {
        Self::start(routes, |_| ()).await
    }

    async fn start(routes: Router<Control>, configure: impl FnOnce(&mut Parts)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let time_us = Arc::new(AtomicI64::new(NOW_US));
        let mut parts = parts(folder.path(), Clock::Set(Arc::clone(&time_us))).await;
        configure(&mut parts);
        let control = Control::new(parts);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = Served {
            all: frame::around(routes, control.clone()),
            reserve: router::reserve(control.clone()),
            trusted: control.trusted_proxies.clone(),
            bodies: Arc::clone(&control.bodies),
        };
        tokio::spawn(serve_these(
            vec![Listener::new(listener, None)],
            served,
            pending(),
        ));
        Self {
            folder,
            control,
            clock: time_us,
            address,
        }
    }

    /// Starts a new installation in which the developer ann has an application. Also returns ann
    /// and the path of the application's credentials of a kind, such as `keys`.
    pub(crate) async fn with_application(kind: &str) -> (Self, Person, String) {
        let house = Self::new().await;
        let ann = house.person("ann", &[Role::Developer]).await;
        let shop = json!({"name": "shop"});
        let shop = house.post("/api/v1/applications", shop).by(&ann).await;
        let path = format!("/api/v1/applications/{}/{kind}", shop.text("/id"));
        (house, ann, path)
    }

    /// Publishes a version with this draft and these plans, as its owner.
    pub(crate) async fn publish(&self, owner: &Person, version: &str, draft: Value, plans: Value) {
        let path = |part: &str| format!("/api/v1/versions/{version}/{part}");
        let draft = self.patch(&path("draft"), draft);
        let draft = draft.by(owner).await.expect(200).body;
        if draft["soap"].is_null() && draft["operations"] == json!([]) {
            // A version without operations cannot be published.
            let any = json!({"operations": [{"method": "GET", "path": "/"}]});
            let any = self.patch(&path("draft"), any);
            any.by(owner).await.expect(200);
        }
        self.put(&path("plans"), plans).by(owner).await.expect(200);
        // There is no key manager here.
        let publish = json!({"to": "published", "without_tokens": true});
        let publish = self.post(&path("lifecycle"), publish);
        publish.by(owner).await.expect(200);
    }

    /// Returns the path of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("tollgate.db")
    }

    /// Advances the clock by `us` microseconds.
    pub(crate) fn wait(&self, us: i64) {
        self.clock.fetch_add(us, Ordering::Relaxed);
    }

    /// Creates a user with these roles and an access token; no password matches.
    pub(crate) async fn person(&self, name: &str, roles: &[Role]) -> Person {
        let secret = make_access_token(random::bytes().unwrap());
        let user = User {
            id: self.control.id().unwrap(),
            name: name.to_owned(),
            one_time: false,
            roles: roles.to_vec(),
            disabled: false,
            created_us: NOW_US,
        };
        let token = AccessToken {
            id: self.control.id().unwrap(),
            user: user.id,
            name: "test".to_owned(),
            digest: secret.digest,
            hint: String::new(),
            created_us: NOW_US,
            expires_us: NOW_US + 300 * 86_400_000_000,
            last_used_us: None,
        };
        let mut tx = self.control.store.write().await.unwrap();
        users::create(&mut tx, &user, "no password").await.unwrap();
        access_tokens::create(&mut tx, &token).await.unwrap();
        tx.commit().await.unwrap();
        Person {
            id: user.id,
            token: secret.text,
        }
    }

    /// Signs in with a name and password.
    pub(crate) async fn sign_in(&self, name: &str, password: &str) -> SignedIn {
        let body = json!({"name": name, "password": password});
        let answer = self.post("/api/v1/session", body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap().to_owned();
        SignedIn {
            cookie: cookie.split(';').next().unwrap().to_owned(),
            csrf: answer.text("/csrf").to_owned(),
            password_change: answer.body["password_change"] == true,
        }
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call {
        Call {
            from: Ipv4Addr::LOCALHOST,
            address: self.address,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.call("GET", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call {
        self.call("DELETE", path)
    }

    pub(crate) fn post(&self, path: &str, body: impl Into<Value>) -> Call {
        self.call("POST", path).json(&body.into())
    }

    pub(crate) fn put(&self, path: &str, body: impl Into<Value>) -> Call {
        self.call("PUT", path).json(&body.into())
    }

    pub(crate) fn patch(&self, path: &str, body: impl Into<Value>) -> Call {
        self.call("PATCH", path).json(&body.into())
    }
}

/// A request, sent when it is awaited.
pub(crate) struct Call {
    from: Ipv4Addr,
    address: SocketAddr,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Call {
    /// Adds a person's access token.
    pub(crate) fn by(self, person: &Person) -> Self {
        let token = format!("Bearer {}", person.token);
        self.header("authorization", &token)
    }

    /// Adds the cookie and the CSRF token of a session.
    pub(crate) fn during(self, session: &SignedIn) -> Self {
        self.header("cookie", &session.cookie)
            .header("x-csrf-token", &session.csrf)
    }

    /// Sends from another loopback address: all of 127.0.0.0/8 is local.
    pub(crate) fn bound_to(mut self, address: Ipv4Addr) -> Self {
        self.from = address;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        let bytes = serde_json::to_vec(body).unwrap();
        self.body("application/json", bytes)
    }

    pub(crate) fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", media_type)
    }

    /// Sends the request and closes the connection before the response.
    pub(crate) async fn hang_up(self) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(self.head().as_bytes()).await.unwrap();
        stream.write_all(&self.body).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let names_host = |(name, _): &(String, String)| name == "host";
        if !self.headers.iter().any(names_host) {
            head += &format!("host: {}\r\n", self.address);
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !self.body.is_empty() {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        head + "connection: close\r\n\r\n"
    }

    async fn send(self) -> Answer {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((self.from, 0).into()).unwrap();
        let mut stream = socket.connect(self.address).await.unwrap();
        stream.write_all(self.head().as_bytes()).await.unwrap();
        // The server may respond and close the connection before it has read the whole body.
        let _ = stream.write_all(&self.body).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        Answer::parse(&bytes)
    }
}

impl IntoFuture for Call {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    /// The body if it is JSON, otherwise its text.
    pub(crate) body: Value,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| {
            panic!("no complete response head: {text:?}");
        });
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        Self {
            status,
            head: head.to_owned(),
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).next()
    }

    /// Returns every header of this name, in order.
    pub(crate) fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(move |(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns a string of the body by JSON Pointer; empty if there is none.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        let value = self.body.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// Checks the status and returns the response.
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Returns the status and code of a problem, for one comparison.
    pub(crate) fn problem(&self) -> (u16, &str) {
        let is_problem = self.header("content-type") == Some("application/problem+json");
        assert!(is_problem, "not a problem: {self:?}");
        assert_eq!(self.header("x-request-id"), Some(self.text("/request_id")));
        (self.status, self.text("/code"))
    }
}
