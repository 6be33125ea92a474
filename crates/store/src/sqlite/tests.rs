use std::fs;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};

use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tempfile::TempDir;

use super::*;
use crate::conformance::{api, facts, plan, user};
use crate::{Store, feed, plans, settings, users, versions};

struct Fresh {
    store: Store,
    folder: TempDir,
}

impl Fresh {
    fn path(&self) -> PathBuf {
        self.folder.path().join("tollgate.db")
    }
}

async fn fresh() -> Fresh {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tollgate.db")).await;
    Fresh {
        store: store.unwrap(),
        folder,
    }
}

mod suite {
    crate::conformance::suite!(super::super::fresh);
}

async fn bare(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    options.connect().await.unwrap()
}

#[tokio::test]
async fn committed_writes_are_there_after_a_restart() {
    let fresh = fresh().await;
    let path = fresh.path();
    let ada = user(&fresh.store, "ada").await;
    plan(&fresh.store, "gold").await;
    let last = feed::last(&fresh.store).await.unwrap();
    fresh.store.close().await;

    let store = Store::open(&path).await.unwrap();
    assert_eq!(users::by_id(&store, ada.id).await.unwrap(), ada);
    assert_eq!(feed::last(&store).await.unwrap(), last);
}

#[tokio::test]
async fn a_commit_is_synced_and_readers_cannot_write() {
    let Fresh { store, .. } = fresh().await;
    let mut tx = store.write().await.unwrap();
    let row = tx.row("pragma synchronous", &[]).await.unwrap().unwrap();
    assert_eq!(row.int("synchronous").unwrap(), 2, "2 is FULL");
    drop(tx);
    let written = store.rows("delete from users", &[]).await;
    assert!(matches!(written, Err(StoreError::Io(_))));
}

#[tokio::test]
async fn a_sign_in_a_stored_path_stays_a_part_of_the_name() {
    let fresh = fresh().await;
    let (path, ada) = (fresh.path(), user(&fresh.store, "ada").await);
    let made = api(&fresh.store, ada.id, "/pets").await;
    fresh.store.close().await;
    let mut before = bare(&path).await;
    let configuration = r#"{
        "operations": [
            {"method": "GET", "path": "/a/{proxy+}"}, {"method": "GET", "path": "/*"},
            {"method": "PUT", "path": "/{x*}/{y+}", "summary": "{x+}"}
        ],
        "policies": {
            "request": [
                {"policy": "set_header", "name": "x-a", "value": "{{ path[\"proxy+\"] }}+}"}
            ],
            "operations": [{"operations": ["GET /a/{proxy+}", "GET /*"], "mode": "replace"}],
            "aside": [{"operations": ["GET /old/{q*}"]}]
        }
    }"#;
    let set = "update versions set draft = ?; delete from _sqlx_migrations where version = 15";
    sqlx::query(set)
        .bind(configuration)
        .execute(&mut before)
        .await
        .unwrap();
    let served = concat!(
        r#"{"operations":[{"path":"/a/{proxy+}"}],"#,
        r#""soap":{"rest":{"resources":[{"path":"/r/{all*}"}]}}}"#
    );
    let deployed = "insert into revisions (id, version, number, configuration, note, created_by, \
        created_us) select 7, id, 1, ?, '', 1, 0 from versions";
    let deployed = sqlx::query(deployed).bind(served);
    deployed.execute(&mut before).await.unwrap();
    let counted = "insert into operations (id, version, method, path) \
        select 8, id, 'GET', '/a/{proxy+}' from versions";
    sqlx::query(counted).execute(&mut before).await.unwrap();
    before.close().await.unwrap();

    let store = Store::open(&path).await.unwrap();
    let mut after = bare(&path).await;
    let configuration = sqlx::query_scalar("select configuration from revisions where id = 7");
    let configuration: String = configuration.fetch_one(&mut after).await.unwrap();
    assert_eq!(
        configuration,
        served
            .replace("proxy+", "proxy%2B")
            .replace("all*", "all%2A")
    );
    let name = sqlx::query_scalar("select path from operations where id = 8");
    let name: String = name.fetch_one(&mut after).await.unwrap();
    assert_eq!(name, "/a/{proxy%2B}");
    let draft = versions::draft(&store, made.version.id)
        .await
        .unwrap()
        .configuration;
    let paths = draft
        .operations
        .iter()
        .map(|it| (it.path.as_str(), it.path.rest()));
    let paths: Vec<_> = paths.collect();
    assert_eq!(
        paths,
        [
            ("/a/{proxy%2B}", None),
            ("/*", None),
            ("/{x%2A}/{y%2B}", None)
        ]
    );
    assert_eq!(draft.operations[2].summary.as_deref(), Some("{x+}"));
    let policies = draft.policies;
    assert_eq!(
        policies.operations[0].operations,
        ["GET /a/{proxy%2B}", "GET /*"]
    );
    assert_eq!(policies.aside[0].operations, ["GET /old/{q%2A}"]);
    let request = serde_json::to_string(&policies.request).unwrap();
    assert!(request.contains(r#"path[\"proxy+\"] }}+}"#), "{request}");
}

#[tokio::test]
async fn a_retired_version_is_no_default_version() {
    let fresh = fresh().await;
    let (path, ada) = (fresh.path(), user(&fresh.store, "ada").await);
    let made = api(&fresh.store, ada.id, "/pets").await;
    let is_default = async |store: &Store| {
        let version = versions::by_id(store, made.version.id).await.unwrap();
        version.is_default
    };
    assert!(is_default(&fresh.store).await);
    fresh.store.close().await;
    let mut before = bare(&path).await;
    let set = "update versions set state = 'retired'; \
        delete from _sqlx_migrations where version = 16";
    sqlx::raw_sql(set).execute(&mut before).await.unwrap();
    before.close().await.unwrap();

    let store = Store::open(&path).await.unwrap();
    assert!(!is_default(&store).await);
}

/// A measurement; in a release build it takes a fraction of the bound.
#[tokio::test]
#[ignore = "measures, so it runs alone: --ignored --nocapture thousand"]
async fn a_thousand_apis_load_in_a_blink() {
    const BOUND: Duration = Duration::from_millis(300);
    let Fresh { store, .. } = fresh().await;
    crate::conformance::thousand(&store).await;
    let begun = std::time::Instant::now();
    let whole = feed::whole(&store, 0).await.unwrap();
    let took = begun.elapsed();
    assert_eq!(whole.facts.len(), 1_000 + 1 + 1_000 + 1_000 + 10_000);
    println!("{} facts in {took:?}", whole.facts.len());
    assert!(took < BOUND, "{took:?}");
}

#[tokio::test]
async fn only_its_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let fresh = fresh().await;
    user(&fresh.store, "ada").await;
    for file in fs::read_dir(fresh.folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?}", file.file_name());
    }
}

#[tokio::test]
async fn a_second_start_on_the_same_file_is_refused_until_the_first_ends() {
    let fresh = fresh().await;
    let refused = Store::open(&fresh.path()).await.unwrap_err();
    assert!(matches!(refused, OpenError::Busy { .. }), "{refused}");
    let path = fresh.path();
    fresh.store.close().await;
    Store::open(&path).await.unwrap();
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent").join("tollgate.db");
    let refused = Store::open(&path).await.unwrap_err();
    assert!(matches!(refused, OpenError::Io { .. }), "{refused}");
    assert!(refused.to_string().contains("absent/tollgate.db"));
}

#[tokio::test]
async fn a_folder_in_the_files_place_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tollgate.db");
    fs::create_dir(&path).unwrap();
    let refused = Store::open(&path).await.unwrap_err();
    let cause = std::error::Error::source(&refused).unwrap().to_string();
    assert!(cause.contains("directory"), "{cause}");
    assert!(!refused.to_string().contains(&cause), "{refused}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tollgate.db");
    let letter = "Dear reader, this is no database at all. ".repeat(200);
    fs::write(&path, &letter).unwrap();
    let refused = Store::open(&path).await.unwrap_err();
    assert!(matches!(refused, OpenError::Corrupt { .. }), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), letter);
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_numbers() {
    let fresh = fresh().await;
    let path = fresh.path();
    fresh.store.close().await;
    let mut connection = bare(&path).await;
    sqlx::query(
        "insert into _sqlx_migrations \
         (version, description, success, checksum, execution_time) values (99, '', 1, x'00', 0)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    let refused = Store::open(&path).await.unwrap_err();
    let OpenError::Newer { found, known, .. } = refused else {
        panic!("{refused}")
    };
    assert_eq!((found, known), (99, 16));
}

/// Overwrites every page of the file except the first few with nonsense.
fn scribble(path: &Path) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    for page in 4..length / 4_096 {
        file.seek(SeekFrom::Start(page * 4_096)).unwrap();
        file.write_all(&[0xa5; 4_096]).unwrap();
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_at_the_start() {
    let fresh = fresh().await;
    let path = fresh.path();
    let ada = user(&fresh.store, "ada").await;
    api(&fresh.store, ada.id, "/pets").await;
    fresh.store.close().await;
    scribble(&path);
    let refused = Store::open(&path).await.unwrap_err();
    assert!(matches!(refused, OpenError::Corrupt { .. }), "{refused}");
}

#[tokio::test]
async fn a_file_that_lacks_part_of_its_schema_is_refused_with_the_missing_part() {
    for (sql, expected) in [
        ("drop table changes", "the table changes is missing"),
        (
            "alter table plans drop column description",
            "the table plans lacks its column description",
        ),
        (
            "drop index subscriptions_live",
            "the index subscriptions_live is missing",
        ),
        (
            "drop table _sqlx_migrations",
            "the table _sqlx_migrations is missing",
        ),
    ] {
        let fresh = fresh().await;
        let path = fresh.path();
        fresh.store.close().await;
        let mut connection = bare(&path).await;
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let refused = Store::open(&path).await.unwrap_err();
        let OpenError::Corrupt { detail, .. } = refused else {
            panic!("{sql}: {refused}")
        };
        assert_eq!(detail, expected);
    }
}

#[tokio::test]
async fn a_file_to_which_something_was_added_is_served() {
    let fresh = fresh().await;
    let path = fresh.path();
    fresh.store.close().await;
    let mut connection = bare(&path).await;
    for sql in [
        "create table notes (text text)",
        "alter table plans add column colour text",
        "analyze",
    ] {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    plan(&Store::open(&path).await.unwrap(), "gold").await;
}

#[tokio::test]
async fn the_finding_of_the_check_is_reported_in_one_line() {
    let fresh = fresh().await;
    let path = fresh.path();
    fresh.store.close().await;
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(2 * 4_096)).unwrap();
    file.write_all(&[0xa5; 4_096]).unwrap();
    let refused = Store::open(&path).await.unwrap_err().to_string();
    assert!(refused.contains("*** in database main *** "), "{refused}");
    assert_eq!(refused.lines().count(), 1, "{refused}");
}

#[tokio::test]
async fn damage_during_operation_is_reported_as_such() {
    let fresh = fresh().await;
    let path = fresh.path();
    plan(&fresh.store, "gold").await;
    fresh.store.close().await;
    let store = Store::open(&path).await.unwrap();
    scribble(&path);
    let failed = plans::list(&store, None, 9).await.unwrap_err();
    assert!(matches!(failed, StoreError::Corrupt(_)), "{failed:?}");
    let failed = feed::whole(&store, 0).await.unwrap_err();
    assert!(matches!(failed, StoreError::Corrupt(_)), "{failed:?}");
}

/// Limits the file to a few more pages, like a nearly full disk.
async fn limit_pages(store: &Store) {
    let mut tx = store.write().await.unwrap();
    let row = tx.row("pragma page_count", &[]).await.unwrap().unwrap();
    assert!(row.int("page_count").unwrap() < 120);
    tx.execute("pragma max_page_count = 120", &[])
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_full_disk_fails_the_write_alone_and_room_heals_it() {
    let Fresh { store, folder } = fresh().await;
    plan(&store, "gold").await;
    let before = feed::last(&store).await.unwrap();
    limit_pages(&store).await;
    let big = "x".repeat(8_000);
    let mut tx = store.write().await.unwrap();
    let mut outcome = Ok(());
    for step in 0..200 {
        let plan = plans::Plan {
            id: tollgate_model::id::Id::from_raw(50_000 + step),
            name: step.to_string(),
            description: big.clone(),
            ..plans::by_name(&store, "gold").await.unwrap().unwrap()
        };
        outcome = plans::create(&mut tx, &plan).await;
        if outcome.is_err() {
            break;
        }
    }
    assert!(matches!(outcome, Err(StoreError::Full)), "{outcome:?}");
    tx.commit().await.unwrap_err();
    assert_eq!(facts(&store, before).await, []);
    assert_eq!(plans::list(&store, None, 999).await.unwrap().len(), 1);

    // The connection was reopened without the limit: there is room again.
    plan(&store, "silver").await;
    let mut tx = store.write().await.unwrap();
    settings::put(&mut tx, "big", &big.repeat(100))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    store.close().await;
    let path = folder.path().join("tollgate.db");
    let store = Store::open(&path).await.unwrap();
    assert_eq!(plans::list(&store, None, 999).await.unwrap().len(), 2);
}

const KILLED_FOLDER: &str = "TOLLGATE_STORE_TEST_FOLDER";

/// The process that is killed: writes pairs as fast as it can and prints which are acknowledged.
#[tokio::test]
#[ignore = "runs in a process of its own, started by the test below"]
async fn writer_to_be_killed() {
    let Ok(folder) = std::env::var(KILLED_FOLDER) else {
        return;
    };
    let store = Store::open(&PathBuf::from(folder).join("tollgate.db")).await;
    let store = store.unwrap();
    let first = feed::last(&store).await.unwrap();
    for step in first.. {
        let mut tx = store.write().await.unwrap();
        settings::put(&mut tx, &format!("left-{step}"), "1")
            .await
            .unwrap();
        tx.note(crate::Noun::Plan(tollgate_model::id::Id::from_raw(1)))
            .await
            .unwrap();
        settings::put(&mut tx, &format!("right-{step}"), "1")
            .await
            .unwrap();
        tx.commit().await.unwrap();
        println!("acknowledged {step}");
    }
}

#[tokio::test]
async fn a_killed_writer_leaves_every_acknowledged_write_and_no_half_written_pair() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tollgate.db");
    Store::open(&path).await.unwrap().close().await;
    for round in 0_u64..8 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sqlite::tests::writer_to_be_killed"])
            .args(["--ignored", "--nocapture"])
            .env(KILLED_FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acknowledged = None;
        let mut read = |line: io::Result<String>| {
            if let Some(step) = line.unwrap().strip_prefix("acknowledged ") {
                acknowledged = Some(step.parse::<u64>().unwrap());
            }
        };
        lines.by_ref().take(10).for_each(&mut read);
        tokio::time::sleep(Duration::from_micros(1_700 * round)).await;
        child.kill().unwrap();
        // Lines printed before its death count too; a last line cut short does not.
        lines
            .map_while(Result::ok)
            .filter(|line| line.len() > "acknowledged ".len())
            .for_each(|line| read(Ok(line)));
        child.wait().unwrap();

        let store = Store::open(&path).await.unwrap();
        let last = feed::last(&store).await.unwrap();
        let acknowledged = acknowledged.expect("it wrote something");
        assert!(last > acknowledged, "{acknowledged} was lost");
        for step in [0, acknowledged, last - 1, last] {
            let left = settings::by_name(&store, &format!("left-{step}")).await;
            let right = settings::by_name(&store, &format!("right-{step}")).await;
            assert_eq!(left.unwrap().is_some(), step < last, "{step}");
            assert_eq!(right.unwrap().is_some(), step < last, "{step}");
        }
        store.close().await;
    }
}
