//! The states of a version, as its callers, subscribers and the readers of the catalogue see them.

use serde_json::{Value, json};
use tollgate_testkit::control::Imported;
use tollgate_testkit::{Behaviour, Control, Tollgate, Upstream, http};

use crate::house::{DOCUMENT, builder, get, user};

mod announced;
mod default_version;

/// The states, each with its next ones.
const STATES: [(&str, &[&str]); 6] = [
    ("created", &["prototyped", "published"]),
    ("prototyped", &["created", "published"]),
    (
        "published",
        &["prototyped", "created", "blocked", "deprecated"],
    ),
    ("blocked", &["published", "deprecated"]),
    ("deprecated", &["published", "retired"]),
    ("retired", &[]),
];

/// A process with an administrator, who owns the APIs, and a developer.
struct World {
    tollgate: Tollgate,
    admin: Control,
    developer: Control,
    upstream: Upstream,
}

/// An application of the developer.
struct Program {
    id: String,
    key: String,
}

/// An outcome of a request: its status and the code of its problem, if it is one.
type Outcome = (u16, &'static str);

/// What a state means.
struct Row {
    state: &'static str,
    /// Calls with a live subscription, without one, with a blocked one and with an ended one.
    calls: [Outcome; 4],
    /// Whether the catalogue lists the version, and whether it does with deprecated ones.
    listed: [bool; 2],
    /// The version in the catalogue and its document.
    shown: Outcome,
    subscription: Outcome,
    try_it: Outcome,
}

const SERVED: [Outcome; 4] = [
    (200, ""),
    (403, "authorize.not_subscribed"),
    (403, "authorize.subscription_blocked"),
    (403, "authorize.not_subscribed"),
];
const ABSENT: [Outcome; 4] = [(404, "route.no_api"); 4];
const OK: Outcome = (200, "");
const UNKNOWN: Outcome = (404, "version.unknown");
const NOT_OPEN: Outcome = (409, "version.not_open");

const ROWS: [Row; 6] = [
    Row {
        state: "created",
        calls: ABSENT,
        listed: [false, false],
        shown: UNKNOWN,
        subscription: (422, "version.unknown"),
        try_it: UNKNOWN,
    },
    Row {
        state: "prototyped",
        calls: [OK; 4],
        listed: [true, true],
        shown: OK,
        subscription: NOT_OPEN,
        try_it: (201, ""),
    },
    Row {
        state: "published",
        calls: SERVED,
        listed: [true, true],
        shown: OK,
        subscription: (201, ""),
        try_it: (201, ""),
    },
    Row {
        state: "blocked",
        calls: [(503, "route.blocked"); 4],
        listed: [false, false],
        shown: UNKNOWN,
        subscription: (422, "version.unknown"),
        try_it: UNKNOWN,
    },
    Row {
        state: "deprecated",
        calls: SERVED,
        listed: [false, true],
        shown: OK,
        subscription: NOT_OPEN,
        try_it: (201, ""),
    },
    Row {
        state: "retired",
        calls: ABSENT,
        listed: [false, false],
        shown: UNKNOWN,
        subscription: (422, "version.unknown"),
        try_it: UNKNOWN,
    },
];

impl World {
    async fn new() -> Self {
        let tollgate = builder().start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        let developer = user(&admin, &tollgate, ("developer", &["developer"])).await;
        let upstream = Upstream::start(Behaviour::text("hello")).unwrap();
        Self {
            tollgate,
            admin,
            developer,
            upstream,
        }
    }

    /// Imports an API that is ready to be published.
    async fn api(&self, name: &str) -> Imported {
        let place = format!("/{name}");
        let api = self.admin.import(name, &place, "1.0", DOCUMENT).await;
        let api = api.unwrap();
        let url = self.upstream.url();
        self.admin.upstream(&api.version, &url).await.unwrap();
        self.admin.attach(&api.version, &["gold"]).await.unwrap();
        api
    }

    async fn program(&self, name: &str) -> Program {
        let id = self.developer.application(name).await.unwrap();
        let (_, key) = self.developer.key(&id).await.unwrap();
        Program { id, key }
    }

    /// Returns the outcome of a call of an API.
    async fn call(&self, api: &str, key: &str) -> (u16, String) {
        let call = get(&format!("/{api}/1.0/pets"), key);
        let answer = http::call(self.tollgate.gateway, &call).await.unwrap();
        (answer.status, answer.code())
    }

    /// Returns the outcome of a request of the developer.
    async fn outcome(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
        let answer = self.developer.send(method, path, body).await.unwrap();
        (answer.status, answer.code())
    }

    async fn is_listed(&self, query: &str) -> bool {
        let path = format!("/api/v1/catalogue?{query}");
        let page = self.developer.done("GET", &path, None).await.unwrap();
        page["total"] == 1
    }

    async fn check(&self, row: &Row, api: &Imported, programs: &[Program; 4]) {
        let (state, version) = (row.state, &api.version);
        let expected = |(status, code): Outcome| (status, code.to_owned());
        for (program, outcome) in programs.iter().zip(row.calls) {
            let called = self.call(state, &program.key).await;
            assert_eq!(called, expected(outcome), "{state}");
        }
        for query in [format!("q={state}"), format!("q={state}&sort=name")] {
            let deprecated = format!("{query}&deprecated=true");
            let listed = [
                self.is_listed(&query).await,
                self.is_listed(&deprecated).await,
            ];
            assert_eq!(listed, row.listed, "{state}: {query}");
        }
        let entry = format!("/api/v1/catalogue/{version}");
        for path in [
            entry.clone(),
            format!("{entry}/document"),
            format!("{entry}/operations"),
        ] {
            let shown = self.outcome("GET", &path, None).await;
            assert_eq!(shown, expected(row.shown), "{state}: {path}");
        }
        let try_it = json!({ "application": programs[0].id });
        let path = format!("/api/v1/versions/{version}/try-it");
        let tried = self.outcome("POST", &path, Some(&try_it)).await;
        assert_eq!(tried, expected(row.try_it), "{state}");
        let wanted = json!({ "application": programs[1].id, "version": version, "plan": "gold" });
        let subscribed = self
            .outcome("POST", "/api/v1/subscriptions", Some(&wanted))
            .await;
        assert_eq!(subscribed, expected(row.subscription), "{state}");
    }
}

#[tokio::test]
async fn every_state_means_what_its_row_says() {
    let world = World::new().await;
    let programs = [
        world.program("live").await,
        world.program("none").await,
        world.program("blocked").await,
        world.program("ended").await,
    ];
    for row in &ROWS {
        let api = world.api(row.state).await;
        let admin = &world.admin;
        admin.lifecycle(&api.version, "published").await.unwrap();
        let subscribe = |program: &Program| {
            let id = program.id.clone();
            let (developer, version) = (&world.developer, &api.version);
            async move {
                let made = developer.subscribe(&id, version, "gold").await.unwrap();
                format!("/api/v1/subscriptions/{made}")
            }
        };
        subscribe(&programs[0]).await;
        let blocked = subscribe(&programs[2]).await;
        let block = json!({ "status": "blocked" });
        admin.done("PATCH", &blocked, Some(&block)).await.unwrap();
        let ended = subscribe(&programs[3]).await;
        world.developer.done("DELETE", &ended, None).await.unwrap();
        if row.state == "retired" {
            admin.lifecycle(&api.version, "deprecated").await.unwrap();
        }
        if row.state != "published" {
            admin.lifecycle(&api.version, row.state).await.unwrap();
        }
        world.check(row, &api, &programs).await;
    }
}

#[tokio::test]
async fn every_arrow_acts_before_its_answer_and_no_other_is_taken() {
    // Each arrow once, with the outcome of a subscriber's call right after it.
    const WALK: [(&str, Outcome); 14] = [
        ("prototyped", OK),
        ("created", ABSENT[0]),
        ("published", SERVED[1]),
        ("prototyped", OK),
        ("published", SERVED[1]),
        ("created", ABSENT[0]),
        ("published", SERVED[1]),
        ("blocked", (503, "route.blocked")),
        ("published", OK),
        ("deprecated", OK),
        ("published", OK),
        ("blocked", (503, "route.blocked")),
        ("deprecated", OK),
        ("retired", ABSENT[0]),
    ];
    let world = World::new().await;
    let program = world.program("shop").await;
    let version = world.api("walked").await.version;
    let path = format!("/api/v1/versions/{version}/lifecycle");
    let move_to = async |to: &str, query: &str| {
        let path = format!("{path}{query}");
        let body = json!({ "to": to });
        world.admin.send("POST", &path, Some(&body)).await.unwrap()
    };
    let mut state = "created";
    for (to, outcome) in WALK {
        let next = STATES.iter().find(|(from, _)| *from == state).unwrap().1;
        for (other, _) in STATES.iter().filter(|(other, _)| !next.contains(other)) {
            let refused = move_to(other, "").await;
            let refused = (refused.status, refused.code());
            let expected = (409, "lifecycle.not_next".to_owned());
            assert_eq!(refused, expected, "{state} to {other}");
        }
        let dry = move_to(to, "?dry_run=true").await;
        let is_subscribed = matches!(state, "published" | "blocked" | "deprecated");
        assert_eq!(
            dry.json()["subscriptions"],
            u64::from(is_subscribed),
            "{state} to {to}"
        );
        let moved = move_to(to, "").await;
        assert_eq!(moved.status, 200, "{state} to {to}: {}", moved.text());
        let called = world.call("walked", &program.key).await;
        assert_eq!(called, (outcome.0, outcome.1.to_owned()), "{state} to {to}");
        if outcome == SERVED[1] {
            let subscribed = world.developer.subscribe(&program.id, &version, "gold");
            subscribed.await.unwrap();
        }
        state = to;
    }
    let history = world.admin.done("GET", &path, None).await.unwrap();
    let entered = history.as_array().unwrap().iter();
    let entered: Vec<_> = entered.map(|step| step["to"].as_str().unwrap()).collect();
    assert_eq!(entered, WALK.map(|(to, _)| to));
}

#[tokio::test]
async fn usage_keeps_the_name_of_a_deleted_version() {
    let world = World::new().await;
    let program = world.program("shop").await;
    let one = world.api("pets").await;
    let path = format!("/api/v1/apis/{}/versions", one.api);
    let two = json!({ "name": "2.0", "from": "1.0" });
    let two = world.admin.done("POST", &path, Some(&two)).await.unwrap();
    let two = two["id"].as_str().unwrap();
    world.admin.lifecycle(two, "prototyped").await.unwrap();
    let call = get("/pets/2.0/pets", &program.key);
    let called = http::call(world.tollgate.gateway, &call).await.unwrap();
    assert_eq!(called.status, 200);
    let usage = async || {
        let path = "/api/v1/usage?group_by=version";
        let usage = world.admin.done("GET", path, None).await.unwrap();
        usage["rows"].clone()
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while usage().await.as_array().unwrap().is_empty() {
        assert!(
            std::time::Instant::now() < deadline,
            "the call is not counted in time"
        );
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let before = usage().await;
    assert_eq!(before[0]["version"]["name"], "2.0");
    let place = format!("/api/v1/versions/{two}");
    let refused = world.admin.send("DELETE", &place, None).await.unwrap();
    assert_eq!((refused.status, refused.code()), (409, "in_use".to_owned()));
    world.admin.lifecycle(two, "created").await.unwrap();
    world.admin.done("DELETE", &place, None).await.unwrap();
    assert_eq!(usage().await, before);
}
