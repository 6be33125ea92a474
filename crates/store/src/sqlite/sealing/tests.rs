use std::fs;
use std::path::PathBuf;

use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;
use tollgate_model::api::Kind;

use crate::conformance::{user, version_of};
use crate::feed::{self, Fact};
use crate::{OpenError, Store, revisions, versions};

use super::*;

const SECRET: &str = "s3cr3t-of-the-back-end";

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tollgate.db");
    (folder, path)
}

fn configuration() -> Configuration {
    let basic = json!({ "basic": { "name": "us", "password": SECRET } });
    let rest = json!({ "resources": [], "back_end": {
        "basic": { "name": "us", "password": SECRET },
        "username_token": { "name": "us", "password": SECRET },
    } });
    serde_json::from_value(json!({
        "upstream": { "url": "http://a", "credential": basic },
        "sandbox_upstream": { "url": "http://b", "credential": basic },
        "soap": { "contract": "c", "service": "s", "port": "p", "rest": rest },
    }))
    .unwrap()
}

/// Returns the files of a folder that hold the secret.
fn holding(folder: &TempDir) -> Vec<String> {
    let mut names = Vec::new();
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        if bytes
            .windows(SECRET.len())
            .any(|it| it == SECRET.as_bytes())
        {
            names.push(path.display().to_string());
        }
    }
    names
}

/// Runs statements on the file, without the store.
async fn past_the_store(path: &Path, statements: &[&'static str], text: &str) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    for &sql in statements {
        let query = sqlx::query(sql);
        let query = if sql.contains("$1") {
            query.bind(text)
        } else {
            query
        };
        query.execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn no_secret_is_stored_in_clear_and_all_are_read_again() {
    let (folder, path) = folder();
    let store = Store::open(&path).await.unwrap();
    let ada = user(&store, "ada").await;
    let version = version_of(&store, ada.id, &configuration()).await;
    assert_eq!(holding(&folder), [""; 0], "while it is open");
    let draft = versions::draft(&store, version).await.unwrap();
    assert_eq!(draft.configuration, configuration());
    let (revision, frozen) = revisions::by_number(&store, version, 1).await.unwrap();
    assert_eq!(frozen, configuration());
    let (_, frozen) = revisions::by_id(&store, revision.id).await.unwrap();
    assert_eq!(frozen, configuration());
    let served = feed::whole(&store, 0).await.unwrap().facts;
    let served = served.into_iter().find_map(|fact| match fact {
        Fact::Version(deployed) => Some(deployed.configuration),
        _ => None,
    });
    assert_eq!(served, Some(Ok(configuration())));
    store.close().await;
    assert_eq!(holding(&folder), [""; 0], "after its end");
}

#[tokio::test]
async fn secrets_of_an_older_release_in_clear_are_sealed_and_leave_no_page_behind() {
    let (folder, path) = folder();
    let store = Store::open(&path).await.unwrap();
    let ada = user(&store, "ada").await;
    let mut older = configuration();
    older.upstream = None;
    older.sandbox_upstream = None;
    let version = version_of(&store, ada.id, &older).await;
    store.close().await;
    let clear = serde_json::to_string(&older).unwrap();
    let older_release = [
        "delete from sealing",
        "update versions set draft = $1",
        "update revisions set configuration = $1",
        "create table waste as select $1 as text from versions",
        "drop table waste",
    ];
    past_the_store(&path, &older_release, &clear).await;
    assert_eq!(holding(&folder).len(), 1, "the test sees a secret in clear");
    let store = Store::open(&path).await.unwrap();
    assert_eq!(holding(&folder), [""; 0]);
    let draft = versions::draft(&store, version).await.unwrap();
    assert_eq!(draft.configuration, older);
    let (_, frozen) = revisions::by_number(&store, version, 1).await.unwrap();
    assert_eq!(frozen, older);
    store.close().await;
    // Left by a process that ended before the file was rewritten.
    let ended = [
        "delete from sealing where name = 'rewritten'",
        "create table waste as select $1 as text from versions",
        "drop table waste",
    ];
    past_the_store(&path, &ended, SECRET).await;
    assert_eq!(holding(&folder).len(), 1);
    let store = Store::open(&path).await.unwrap();
    assert_eq!(holding(&folder), [""; 0]);
    let draft = versions::draft(&store, version).await.unwrap();
    assert_eq!(draft.configuration, older);
}

#[tokio::test]
async fn a_log_with_secrets_in_clear_is_truncated_once_nobody_reads_it() {
    let (folder, path) = folder();
    let store = Store::open(&path).await.unwrap();
    let ada = user(&store, "ada").await;
    let mut older = configuration();
    older.upstream = None;
    older.sandbox_upstream = None;
    version_of(&store, ada.id, &older).await;
    store.close().await;
    let options = SqliteConnectOptions::new().filename(&path);
    let mut reader = options.clone().connect().await.unwrap();
    let mut writer = options.connect().await.unwrap();
    for sql in ["delete from sealing", "update versions set draft = $1"] {
        let clear = serde_json::to_string(&older).unwrap();
        let query = sqlx::query(sql);
        let query = if sql.contains("$1") {
            query.bind(clear)
        } else {
            query
        };
        query.execute(&mut writer).await.unwrap();
    }
    sqlx::query("begin").execute(&mut reader).await.unwrap();
    sqlx::query("select count(*) from users")
        .fetch_one(&mut reader)
        .await
        .unwrap();
    assert!(holding(&folder).iter().any(|name| name.ends_with("-wal")));
    // A backup that is reading keeps the log from being truncated, but does not prevent the start.
    let store = Store::open(&path).await.unwrap();
    assert_ne!(holding(&folder), [""; 0]);
    sqlx::query("end").execute(&mut reader).await.unwrap();
    reader.close().await.unwrap();
    writer.close().await.unwrap();
    store.close().await;
    let _store = Store::open(&path).await.unwrap();
    assert_eq!(holding(&folder), [""; 0]);
}

#[tokio::test]
async fn a_wrong_or_missing_key_ends_the_start_and_changes_nothing() {
    let (folder, path) = folder();
    let store = Store::open(&path).await.unwrap();
    let ada = user(&store, "ada").await;
    let version = version_of(&store, ada.id, &configuration()).await;
    store.close().await;
    let key = folder.path().join("master.key");
    let kept = fs::read(&key).unwrap();
    fs::write(&key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n").unwrap();
    let other = Store::open(&path).await.unwrap_err();
    fs::remove_file(&key).unwrap();
    let none = Store::open(&path).await.unwrap_err();
    let messages = [other, none].map(|error| {
        assert!(matches!(error, OpenError::MasterKey { .. }), "{error:?}");
        error.to_string().replace(&key.display().to_string(), "KEY")
    });
    assert_eq!(
        messages,
        [
            "the master key KEY is not the one that this database was sealed with",
            "the master key KEY is not there; restore it from a backup",
        ]
    );
    assert!(!key.exists(), "none is created for a database that has one");
    fs::write(&key, kept).unwrap();
    let store = Store::open(&path).await.unwrap();
    let draft = versions::draft(&store, version).await.unwrap();
    assert_eq!(draft.configuration, configuration());
}

#[tokio::test]
async fn a_secret_in_another_versions_place_does_not_open() {
    let (_folder, path) = folder();
    let store = Store::open(&path).await.unwrap();
    let ada = user(&store, "ada").await;
    let one = version_of(&store, ada.id, &configuration()).await;
    let other = version_of(&store, ada.id, &configuration()).await;
    store.close().await;
    let swap = "update revisions set configuration = \
        (select configuration from revisions order by version limit 1)";
    past_the_store(&path, &[swap], "").await;
    let store = Store::open(&path).await.unwrap();
    assert!(
        revisions::by_number(&store, one.min(other), 1)
            .await
            .is_ok()
    );
    let (_, lost) = revisions::by_number(&store, one.max(other), 1)
        .await
        .unwrap();
    let mut expected = configuration();
    for held in expected.secrets_mut() {
        "***".clone_into(&mut held.secret.0);
    }
    assert_eq!(lost, expected, "and nothing serves a mask");
    assert!(!lost.faults(Kind::Rest).is_empty());
    store.close().await;
    // Nor with its address changed in the file.
    let turned = "update versions set draft = replace(draft, 'http://a', 'http://evil')";
    past_the_store(&path, &[turned], "").await;
    let store = Store::open(&path).await.unwrap();
    let mut draft = versions::draft(&store, one).await.unwrap().configuration;
    let texts: Vec<_> = draft
        .secrets_mut()
        .iter()
        .map(|it| it.secret.0.clone())
        .collect();
    assert_eq!(texts, ["***", SECRET, "***", "***"]);
}
