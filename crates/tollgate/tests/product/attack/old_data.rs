//! Data of earlier releases open completely: configuration, keys, revisions, usage. `fixtures` has
//! a data directory for each change of the schema, and `make.rs` creates the next.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Behaviour, Control, Upstream, http};
use zip::ZipArchive;

use crate::house::{builder, get};
use crate::soap::{V1_1, XML, order_request};

mod make;

pub(crate) use make::MANIFEST;

/// That of a program that was killed with rows in the journal.
const KILLED: &str = "data-0.1.0-41.zip";

/// Archives of earlier releases.
pub(crate) const RELEASES: [&str; 12] = [
    "data-0.1.0-14.zip",
    "data-0.1.0-15.zip",
    "data-0.1.0-16.zip",
    "data-0.1.0-17.zip",
    "data-0.1.0-20.zip",
    "data-0.1.0-32.zip",
    "data-0.1.0-36.zip",
    "data-0.1.0-37.zip",
    "data-0.1.0-38.zip",
    "data-0.1.0-39.zip",
    "data-0.1.0-40.zip",
    KILLED,
];

pub(crate) fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures.join(name)
}

pub(crate) async fn database(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    options.connect().await.unwrap()
}

/// Points every draft and revision at a running back end.
pub(crate) async fn point(data: &Path, from: &str, to: &str) {
    let mut store = database(&data.join("tollgate.db")).await;
    for sql in [
        "update versions set draft = replace(draft, $1, $2)",
        "update revisions set configuration = replace(configuration, $1, $2)",
    ] {
        let query = sqlx::query(sql).bind(from).bind(to);
        query.execute(&mut store).await.unwrap();
    }
    store.close().await.unwrap();
}

/// Moves the usage so that its last minute is recent: old usage is deleted in time. Returns the
/// number of rows in the journal.
async fn freshen(data: &Path) -> usize {
    const FAR: i64 = 1_000_000_000;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_secs() / 60).unwrap();
    let mut usage = database(&data.join("usage.db")).await;
    let last = sqlx::query_scalar("select max(minute) from usage_minutes");
    let last: i64 = last.fetch_one(&mut usage).await.unwrap();
    // Via an intermediate range, so that no row collides with another.
    for by in [now - 1 - last + FAR, -FAR] {
        let moved = sqlx::query("update usage_minutes set minute = minute + $1");
        moved.bind(by).execute(&mut usage).await.unwrap();
    }
    let unmerged = freshen_journal(&mut usage, now - 1 - last).await;
    usage.close().await.unwrap();
    unmerged
}

/// Moves the rows in the journal, of a program that was killed, by minutes. Each has differences
/// from the one before. Returns their number.
async fn freshen_journal(usage: &mut SqliteConnection, minutes: i64) -> usize {
    type Entry = (Vec<[i64; 21]>, Vec<[i64; 5]>);
    const OF_ROWS: &str = "select batch, content from journal where columns = 21";
    let entries = sqlx::query_as(OF_ROWS).fetch_all(&mut *usage).await;
    // Early programs have no journal.
    let entries: Vec<(i64, Vec<u8>)> = entries.unwrap_or_default();
    let mut unmerged = 0;
    for (batch, content) in entries {
        let (mut rows, quotas): Entry = postcard::from_bytes(&content).unwrap();
        if let Some(first) = rows.first_mut() {
            first[0] += minutes;
        }
        unmerged += rows.len();
        let content = postcard::to_allocvec(&(rows, quotas)).unwrap();
        let moved = sqlx::query("update journal set content = $1 where batch = $2");
        let moved = moved.bind(content).bind(batch);
        moved.execute(&mut *usage).await.unwrap();
    }
    unmerged
}

/// Asserts that everything in `before` is still in `now`, which may contain more.
fn assert_holds(before: &Value, now: &Value, place: &str) {
    match (before, now) {
        (Value::Object(before), Value::Object(_)) => {
            for (name, value) in before {
                assert_holds(value, &now[name], &format!("{place}/{name}"));
            }
        }
        // Words, such as the states that may follow.
        (Value::Array(before), Value::Array(items)) if before.iter().all(Value::is_string) => {
            let is_kept = |it: &Value| items.contains(it);
            assert!(before.iter().all(is_kept), "{place}: {now}");
        }
        (Value::Array(before), Value::Array(items)) => {
            // The plan `anonymous` came with schema 8.
            let is_new = before.iter().all(|it| it["name"] != "anonymous");
            let added = usize::from(place.ends_with("/plans/items") && is_new);
            assert_eq!(before.len() + added, items.len(), "{place}: {now}");
            for (at, (before, now)) in before.iter().zip(items).enumerate() {
                assert_holds(before, now, &format!("{place}/{at}"));
            }
        }
        _ => assert_eq!(before, now, "{place}"),
    }
}

#[tokio::test]
async fn data_of_the_releases_before_open_whole() {
    for name in RELEASES {
        opens_whole(name).await;
    }
}

/// Sets the secrets of the shop's version again.
async fn seal_anew(publisher: &Control, before: &Value) {
    let drafts = before.as_object().unwrap().iter();
    let mut drafts = drafts.filter(|(path, _)| path.ends_with("/draft"));
    let (path, _) = drafts
        .find(|(_, draft)| draft.pointer("/soap/rest/back_end").is_some())
        .unwrap();
    let change = json!({ "soap": { "rest": { "back_end": make::back_end() } } });
    publisher.done("PATCH", path, Some(&change)).await.unwrap();
    let version = path.split('/').nth(4).unwrap();
    let revision = publisher.revision(version).await.unwrap();
    publisher.deploy(version, revision).await.unwrap();
}

/// Asserts that the revisions of each version have the document that the version had.
async fn assert_every_revision_has_the_document(publisher: &Control) {
    let done = async |path: &str| publisher.done("GET", path, None).await.unwrap();
    let versions = done("/api/v1/versions?kind=rest").await;
    let versions = versions["items"].as_array().unwrap();
    let mut compared = 0;
    for version in versions {
        let path = format!("/api/v1/versions/{}", version["version"].as_str().unwrap());
        let draft = done(&format!("{path}/document?of=draft")).await;
        assert_eq!(draft, done(&format!("{path}/document?of=deployed")).await);
        let revisions = done(&format!("{path}/revisions")).await;
        for revision in revisions["items"].as_array().unwrap() {
            let path = format!("{path}/difference?from={}", revision["number"]);
            let found = done(&path).await;
            let has_document = [&found["from"], &found["to"]].map(|side| &side["has_document"]);
            assert_eq!(has_document, [true, true], "{path}");
            let changes = found["changes"].as_array().unwrap();
            assert!(
                changes.iter().all(|it| it["group"] != "document"),
                "{found}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, versions.len() + 2, "of Pets three, of others one");
}

async fn opens_whole(name: &str) {
    let builder = builder();
    let data = builder.data();
    let archive = File::open(fixture(name)).unwrap();
    ZipArchive::new(archive).unwrap().extract(&data).unwrap();
    let manifest = fs::read(data.join(MANIFEST)).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let is_sealed = data.join("master.key").exists();
    let text = |name: &str| manifest[name].as_str().unwrap().to_owned();
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    point(&data, &text("upstream"), &upstream.url()).await;
    let unmerged = freshen(&data).await;
    assert!(unmerged > 1_000 || name != KILLED, "{unmerged}");

    let tollgate = builder.start().unwrap();
    for file in ["tollgate.db", "tollgate.db-wal"] {
        let bytes = fs::read(data.join(file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let clear = ["s:cret", "\"password\":\"secret\""].map(|it| text.contains(it));
        assert_eq!(
            clear, [false; 2],
            "{name}: {file} holds a password in clear"
        );
    }
    let stranger = Control::stranger(tollgate.control);
    for (person, answers) in manifest["people"].as_object().unwrap() {
        let user = stranger.sign_in(person, PASSWORD).await.unwrap();
        for (path, before) in answers.as_object().unwrap() {
            let now = user.done("GET", path, None).await.unwrap();
            let before = before
                .to_string()
                .replace(&text("upstream"), &upstream.url());
            let before: Value = serde_json::from_str(&before).unwrap();
            let place = format!("{person} {path}");
            // Usage is queried for the last day, which is another one now.
            match before.get("rows") {
                Some(rows) => assert_holds(rows, &now["rows"], &place),
                None => assert_holds(&before, &now, &place),
            }
        }
    }
    let publisher = stranger.sign_in("publisher", PASSWORD).await.unwrap();
    assert_every_revision_has_the_document(&publisher).await;
    for token in manifest["tokens"].as_array().unwrap() {
        let bearer = format!("Bearer {}", token.as_str().unwrap());
        let fields = [("Authorization", bearer.as_str()), ("Connection", "close")];
        let request = http::request("GET", "/api/v1/access-tokens", &fields, b"");
        let answer = http::call(tollgate.control, &request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        // The oldest were created without an end.
        for listed in answer.json()["items"].as_array().unwrap() {
            assert!(listed["expires_at"].is_string(), "{listed}");
        }
    }

    let key = text("key");
    let call = async |request: &[u8]| http::call(tollgate.gateway, request).await.unwrap();
    let answer = call(&get("/pets/1.0/pets", &key)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let received = String::from_utf8(upstream.received().concat()).unwrap();
    assert!(received.starts_with("GET /two/pets "), "{received}");
    let revoked = call(&get("/pets/1.0/pets", &text("revoked"))).await;
    assert_eq!(
        (revoked.status, revoked.code().as_str()),
        (401, "authenticate.invalid")
    );
    let blocked = call(&get("/closed/1.0/pets", &key)).await;
    assert_eq!(
        (blocked.status, blocked.code().as_str()),
        (503, "route.blocked")
    );
    let message = http::request(
        "POST",
        "/orders/1.0",
        &[("apikey", &key), XML],
        &order_request(),
    );
    let answer = call(&message).await;
    assert_eq!(answer.status, 200, "{}", answer.text());

    if is_sealed {
        // Sealed secrets are bound to the address that they were set for, which `point` changed.
        seal_anew(&publisher, &manifest["people"]["publisher"]).await;
    }
    upstream.behave(make::shop_answer());
    upstream.forget();
    let answer = call(&get("/shop/1.0/order/7", &key)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    tokio::time::sleep(Duration::from_millis(10)).await;
    let received = String::from_utf8(upstream.received().concat()).unwrap();
    let basic = format!("authorization: {}", make::BASIC);
    assert!(
        received.to_lowercase().contains(&basic.to_lowercase()),
        "{received}"
    );
    assert!(received.contains(V1_1), "{received}");
}
