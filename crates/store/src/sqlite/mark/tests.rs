use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::conformance::plan;
use crate::{Store, plans};

/// A change of a log, and its description in the message.
type Damage<'a> = (&'static str, &'a dyn Fn(&Path));
/// Name, database left behind, change of its log, and whether the loss is reported.
type Case<'a> = (&'a str, &'a TempDir, &'a dyn Fn(&Path), bool);

/// A database with a plan for each of `names`, as a killed process leaves it.
async fn killed(folder: &TempDir, names: &[&str]) -> TempDir {
    let store = Store::open(&path(folder)).await.unwrap();
    assert_eq!(store.lost(), None);
    for name in names {
        plan(&store, name).await;
    }
    let left = copy(folder);
    store.close().await;
    left
}

/// Copies the database without its log and its mark, with its master key.
fn copy_file_alone(from: &TempDir, to: &TempDir) {
    for name in ["tollgate.db", "master.key"] {
        fs::copy(from.path().join(name), to.path().join(name)).unwrap();
    }
}

fn path(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("tollgate.db")
}

fn log(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("tollgate.db-wal")
}

fn copy(folder: &TempDir) -> TempDir {
    let copied = TempDir::new().unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), copied.path().join(file.file_name())).unwrap();
    }
    copied
}

fn cut(path: &Path, bytes: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(bytes).unwrap();
}

#[tokio::test]
async fn a_log_that_is_deleted_garbled_or_cut_is_reported_once_with_the_last_time() {
    let folder = TempDir::new().unwrap();
    killed(&folder, &["first"]).await;
    let base = killed(&folder, &["a", "b", "c", "d", "e"]).await;
    let length = fs::metadata(log(&base)).unwrap().len();
    let damages: [Damage<'_>; 5] = [
        ("missing", &|log| fs::remove_file(log).unwrap()),
        ("cut short", &|log| cut(log, 0)),
        ("cut short", &|log| cut(log, length / 2)),
        ("cut short", &|log| cut(log, length - 1)),
        ("damaged", &|log| {
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
    ];
    for (word, damage) in damages {
        let left = copy(&base);
        damage(&log(&left));
        let store = Store::open(&path(&left)).await.unwrap();
        let lost = store.lost().expect(word).clone();
        let message = lost.to_string();
        assert!(
            message.contains(word) && message.lines().count() == 1,
            "{message}"
        );
        assert!(
            lost.last.is_some() && !message.contains("unknown"),
            "{message}"
        );
        let there = plans::list(&store, None, 9).await.unwrap().len();
        assert_eq!(
            i64::try_from(there).unwrap(),
            6 - lost.writes.unwrap(),
            "{message}"
        );
        store.close().await;
        let store = Store::open(&path(&left)).await.unwrap();
        assert_eq!(store.lost(), None, "told once");
        store.close().await;
    }
}

#[tokio::test]
async fn a_kill_alone_a_stop_and_a_database_without_a_mark_are_not_reported() {
    let folder = TempDir::new().unwrap();
    for names in [&[][..], &["a"], &["b", "c"]] {
        let left = killed(&folder, names).await;
        for _ in 0..2 {
            // The second time nothing was written since.
            let store = Store::open(&path(&left)).await.unwrap();
            assert_eq!(store.lost(), None);
            store.close().await;
        }
    }
    let stopped = copy(&folder);
    assert!(!log(&stopped).exists(), "a stop leaves one whole file");
    let alone = TempDir::new().unwrap();
    copy_file_alone(&folder, &alone);
    for folder in [stopped, alone] {
        let store = Store::open(&path(&folder)).await.unwrap();
        assert_eq!(store.lost(), None);
        assert_eq!(plans::list(&store, None, 9).await.unwrap().len(), 3);
        store.close().await;
    }
}

#[tokio::test]
async fn a_mark_that_cannot_be_read_is_rewritten() {
    let folder = TempDir::new().unwrap();
    killed(&folder, &["a"]).await;
    let mark = folder.path().join("tollgate.db.mark");
    let whole = fs::read(&mark).unwrap();
    for nonsense in [&b""[..], b"7", &[0xff; 42], &[b'9'; 42]] {
        fs::write(&mark, nonsense).unwrap();
        let store = Store::open(&path(&folder)).await.unwrap();
        assert_eq!(store.lost(), None);
        store.close().await;
        assert_eq!(fs::read(&mark).unwrap(), whole);
    }
}

#[tokio::test]
async fn a_write_that_fails_is_not_counted_and_a_probe_is_a_write() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(&path(&folder)).await.unwrap();
    let mark = || fs::read(folder.path().join("tollgate.db.mark")).unwrap();
    let before = mark();
    drop(store.write().await.unwrap());
    store.probe().await.unwrap();
    assert_eq!(mark(), before);
    let mut tx = store.write().await.unwrap();
    tx.execute("pragma max_page_count = 1", &[]).await.unwrap();
    tx.commit().await.unwrap();
    assert_ne!(mark(), before);
}

#[tokio::test]
async fn a_copy_of_only_the_file_of_a_database_in_use_is_reported() {
    let folder = TempDir::new().unwrap();
    killed(&folder, &["first"]).await;
    let left = killed(&folder, &["a", "b"]).await;
    let alone = TempDir::new().unwrap();
    copy_file_alone(&left, &alone);
    let store = Store::open(&path(&alone)).await.unwrap();
    let message = store.lost().unwrap().to_string();
    assert!(
        message.contains("was missing") && !message.contains("unknown"),
        "{message}"
    );
    assert_eq!(plans::list(&store, None, 9).await.unwrap().len(), 1);
    store.close().await;
}

#[tokio::test]
async fn an_unreadable_log_is_reported_without_a_mark_and_a_readable_one_is_not() {
    let folder = TempDir::new().unwrap();
    killed(&folder, &["first"]).await;
    let begun = killed(&folder, &[]).await;
    let left = killed(&folder, &["a", "b"]).await;
    let length = usize::try_from(fs::metadata(log(&left)).unwrap().len()).unwrap();
    let lose = |log: &Path, bytes: std::ops::Range<usize>| {
        let mut kept = fs::read(log).unwrap();
        kept[bytes].fill(0xa5);
        fs::write(log, kept).unwrap();
    };
    let cases: [Case<'_>; 6] = [
        ("killed right after a start", &begun, &|_| (), false),
        ("killed", &left, &|_| (), false),
        ("garbled", &left, &|log| lose(log, 0..length), true),
        ("its header garbled", &left, &|log| lose(log, 0..32), true),
        (
            "its first frame garbled",
            &left,
            &|log| lose(log, 40..90),
            true,
        ),
        // A header written by a process that was killed before the first frame.
        ("begun anew", &left, &|log| begin_anew(log), false),
    ];
    for (case, from, damage, is_reported) in cases {
        let left = copy(from);
        fs::remove_file(left.path().join("tollgate.db.mark")).unwrap();
        // SQLite's copy of the log's index in memory while it runs.
        let _ = fs::remove_file(left.path().join("tollgate.db-shm"));
        damage(&log(&left));
        let store = Store::open(&path(&left)).await.unwrap();
        let message = store.lost().map(ToString::to_string);
        assert_eq!(message.is_some(), is_reported, "{case}: {message:?}");
        assert!(message.is_none_or(|it| it.contains("damaged")), "{case}");
        store.close().await;
        let store = Store::open(&path(&left)).await.unwrap();
        assert_eq!(store.lost(), None, "{case}: reported once");
        store.close().await;
    }
}

/// Increments salt-1 of the log's header, as SQLite does when it restarts a log.
fn begin_anew(log: &Path) {
    let mut bytes = fs::read(log).unwrap();
    let salt = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    bytes[16..20].copy_from_slice(&salt.wrapping_add(1).to_be_bytes());
    fs::write(log, bytes).unwrap();
}
