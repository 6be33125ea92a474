use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tollgate_spool::{Settings, Spool};

use crate::database::Database;
use crate::{Reason, Usage};

/// The damage to a log, and its description in the message.
type Damage<'a> = (&'static str, &'a dyn Fn(&Path));

const LATER_US: i64 = 4_000_000_000_000_000;

fn copy(folder: &TempDir) -> TempDir {
    let copied = TempDir::new().unwrap();
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        // SQLite's in-memory part of the log is lost with the process.
        if !file.path().ends_with("usage.db-shm") {
            fs::copy(file.path(), copied.path().join(file.file_name())).unwrap();
        }
    }
    copied
}

/// The files of a process killed after its fifth batch.
async fn killed() -> TempDir {
    let (folder, apart) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let spool = Spool::open(Settings {
        folder: apart.path().to_owned(),
        bytes_max: 1 << 20,
        kept: Duration::MAX,
        free_bytes_min: 0,
        segment_bytes: 1 << 20,
    });
    let path = folder.path().join("usage.db");
    let usage = Usage::open(&path, Arc::new(spool.unwrap())).await.unwrap();
    for _ in 0..4 {
        usage.flush().await.unwrap();
    }
    copy(&folder)
}

/// The message of a much later start, and the ends of its losses.
async fn start(folder: &TempDir) -> (Option<String>, Vec<i64>) {
    let path = folder.path().join("usage.db");
    let database = Database::open(&path, LATER_US, &[]).await.unwrap();
    let is_unclean = |reason| reason == Reason::UncleanStop;
    assert!(database.losses.iter().all(|it| is_unclean(it.reason)));
    let ends = database.losses.iter().map(|loss| loss.to_us).collect();
    (database.lost.map(|it| it.to_string()), ends)
}

fn cut(log: &Path, bytes: u64) {
    let file = fs::OpenOptions::new().write(true).open(log).unwrap();
    file.set_len(bytes).unwrap();
}

#[tokio::test]
async fn a_deleted_corrupted_or_truncated_log_is_reported_once() {
    let base = killed().await;
    let length = fs::metadata(base.path().join("usage.db-wal"))
        .unwrap()
        .len();
    let (message, whole_ends) = start(&copy(&base)).await;
    assert_eq!(message, None, "a kill alone");
    let damages: [Damage<'_>; 5] = [
        ("was missing", &|log| fs::remove_file(log).unwrap()),
        ("cut short", &|log| cut(log, 0)),
        ("cut short", &|log| cut(log, length / 2)),
        ("cut short", &|log| cut(log, length - 1)),
        ("damaged", &|log| {
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
    ];
    for (word, damage) in damages {
        let left = copy(&base);
        damage(&left.path().join("usage.db-wal"));
        let (message, ends) = start(&left).await;
        let message = message.expect(word);
        assert!(
            message.contains(word) && message.lines().count() == 1,
            "{message}"
        );
        assert!(
            message.contains("lacks its last") && !message.contains("1970"),
            "{message}"
        );
        assert_eq!(ends, whole_ends, "the loss ends when the process did");
        assert_eq!(start(&left).await.0, None, "told once");
    }
}

#[tokio::test]
async fn without_a_mark_a_missing_or_corrupted_log_is_reported_and_a_kill_is_not() {
    let base = killed().await;
    fs::remove_file(base.path().join("usage.db.mark")).unwrap();
    assert_eq!(start(&copy(&base)).await.0, None);
    let damages: [Damage<'_>; 2] = [
        ("was missing", &|log| fs::remove_file(log).unwrap()),
        ("damaged", &|log| {
            let length = fs::metadata(log).unwrap().len();
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
    ];
    for (word, damage) in damages {
        let left = copy(&base);
        damage(&left.path().join("usage.db-wal"));
        let (message, ends) = start(&left).await;
        let message = message.expect(word);
        assert!(
            message.contains("was not closed") && message.contains(word),
            "{message}"
        );
        assert_eq!(ends, [LATER_US], "the end of the process is unknown");
        assert_eq!(start(&left).await.0, None, "told once");
    }
}

#[tokio::test]
async fn an_unreadable_or_foreign_mark_does_not_prevent_a_start() {
    let base = killed().await;
    for nonsense in [&b""[..], b"7", &[0xff; 42], &[b'9'; 42]] {
        let left = copy(&base);
        fs::write(left.path().join("usage.db.mark"), nonsense).unwrap();
        assert_eq!(start(&left).await.0, None);
    }
    // A new file next to the mark of one that was removed.
    let left = copy(&base);
    for file in ["usage.db", "usage.db-wal"] {
        fs::remove_file(left.path().join(file)).unwrap();
    }
    assert_eq!(start(&left).await, (None, vec![]));
    // A folder with the mark's name.
    let left = copy(&base);
    fs::remove_file(left.path().join("usage.db.mark")).unwrap();
    fs::create_dir(left.path().join("usage.db.mark")).unwrap();
    assert_eq!(start(&left).await.0, None);
}
