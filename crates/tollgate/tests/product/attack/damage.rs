//! Number 10: losses after damage to the files are reported, and nothing else is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tollgate_testkit::{Builder, Control, Tollgate};

use crate::house::{House, builder, first_start};
use crate::start::logged;

/// Text of the log line about lost acknowledged writes.
const WRITES_LOST: &str = "acknowledged writes";
const NAMES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// A kind of damage to a log: the word in its report, and the action.
type Damage<'a> = (&'static str, &'a dyn Fn(&Path));

/// Returns a builder with a copy of these data files, and the master key, which any copy needs.
fn copied(from: &Path, files: impl Fn(&str) -> bool) -> Builder {
    let builder = first_start();
    fs::create_dir(builder.data()).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let is_file = file.file_type().unwrap().is_file();
        if is_file && (files(&name) || name == "master.key") {
            fs::copy(file.path(), builder.data().join(name)).unwrap();
        } else if name == "spool" && files(&name) {
            let spool = builder.data().join(name);
            fs::create_dir(&spool).unwrap();
            for segment in fs::read_dir(file.path()).unwrap() {
                let segment = segment.unwrap();
                fs::copy(segment.path(), spool.join(segment.file_name())).unwrap();
            }
        }
    }
    builder
}

/// Starts and asserts that no loss is reported.
async fn quiet(builder: &Builder) -> Tollgate {
    let tollgate = builder.start().unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let log = tollgate.said();
    assert!(
        !log.contains(WRITES_LOST) && !log.contains("is missing"),
        "{log}"
    );
    tollgate
}

async fn applications(admin: &Control) -> usize {
    let listed = admin.done("GET", "/api/v1/applications", None).await;
    listed.unwrap()["items"].as_array().unwrap().len()
}

/// Starts a process that has acknowledged an application for each name; returns its administrator
/// too.
async fn acknowledged() -> (Tollgate, Control) {
    // Part of the data is checkpointed into the database, as after any time of use.
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let admin = admin.at(tollgate.control);
    for name in NAMES {
        admin.application(name).await.unwrap();
    }
    (tollgate, admin)
}

/// Truncates a log to five eighths of its frames; those after them are of the previous log
/// (sqlite.org/fileformat2.html, 4.1).
fn cut(log: &Path) {
    const HEADER: usize = 32;
    const FRAME: usize = 24 + 4_096;
    let bytes = fs::read(log).unwrap();
    let salts = &bytes[16..24];
    let frames = bytes[HEADER..].chunks_exact(FRAME);
    let frames = frames.take_while(|frame| frame[8..16] == *salts).count();
    fs::write(log, &bytes[..HEADER + frames * 5 / 8 * FRAME]).unwrap();
}

#[tokio::test]
async fn a_log_that_is_deleted_garbled_or_cut_after_a_kill_is_reported() {
    let (tollgate, admin) = acknowledged().await;
    let killed = tollgate.kill().unwrap();
    let damages: [Damage<'_>; 3] = [
        ("was missing", &|log| fs::remove_file(log).unwrap()),
        ("damaged", &|log| {
            let length = fs::metadata(log).unwrap().len();
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
        ("cut short", &cut),
    ];
    for (word, damage) in damages {
        let damaged = copied(&killed.data(), |_| true);
        damage(&damaged.data().join("tollgate.db-wal"));
        let tollgate = damaged.start().unwrap();
        let line = logged(&tollgate, WRITES_LOST).await;
        assert!(line.contains("WARN") && line.contains(word), "{line}");
        assert!(line.contains("its last change is from 20"), "{line}");
        assert!(applications(&admin.at(tollgate.control)).await < NAMES.len());
        assert_eq!(tollgate.said().matches(WRITES_LOST).count(), 1);
        quiet(&tollgate.kill().unwrap()).await;
    }

    // The first program that opens the data reports it.
    let damaged = copied(&killed.data(), |name| name != "tollgate.db-wal");
    let reset = damaged.command(&["admin", "reset"]).unwrap();
    let printed = String::from_utf8(reset.stderr).unwrap();
    assert!(
        reset.status.success() && printed.contains(WRITES_LOST),
        "{printed}"
    );
    quiet(&damaged).await;
}

/// Waits until the current usage is written: the batch after the next includes it.
async fn written(tollgate: &Tollgate) {
    let mark = || fs::read(tollgate.data().join("usage.db.mark")).unwrap();
    for _ in 0..2 {
        let before = mark();
        for _ in 0..600 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if mark() != before {
                break;
            }
        }
        assert_ne!(mark(), before, "no batch in half a minute");
    }
}

#[tokio::test]
async fn a_log_of_usage_that_is_deleted_garbled_or_cut_after_a_kill_is_reported() {
    const USAGE_LOST: &str = "limit usage";
    let house = House::new().await;
    for _ in 0..3 {
        assert_eq!(house.call().await.status, 200);
    }
    written(&house.tollgate).await;
    let killed = house.tollgate.kill().unwrap();
    let damages: [Damage<'_>; 3] = [
        ("was missing", &|log| fs::remove_file(log).unwrap()),
        ("damaged", &|log| {
            let length = fs::metadata(log).unwrap().len();
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        }),
        ("cut short", &cut),
    ];
    for (word, damage) in damages {
        let damaged = copied(&killed.data(), |_| true);
        damage(&damaged.data().join("usage.db-wal"));
        let tollgate = damaged.start().unwrap();
        let line = logged(&tollgate, USAGE_LOST).await;
        assert!(line.contains("WARN") && line.contains(word), "{line}");
        assert!(line.contains("lacks its last"), "{line}");
        let admin = house.admin.at(tollgate.control);
        let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
        assert_eq!(usage["losses"][0]["reason"], "unclean_stop", "{usage}");
        let again = quiet(&tollgate.kill().unwrap()).await;
        assert!(!again.said().contains(USAGE_LOST), "reported once");
    }
    let whole = copied(&killed.data(), |_| true).start().unwrap();
    let usage = house.admin.at(whole.control);
    let usage = usage.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["rows"][0]["calls"], 3, "{usage}");
    assert!(!whole.said().contains(USAGE_LOST), "a kill alone");
}

#[tokio::test]
async fn a_kill_a_stop_and_a_copy_of_the_databases_are_not_damage() {
    // Right after the first start, and right after the next.
    let first = quiet(&builder()).await.kill().unwrap();
    let again = quiet(&first).await.kill().unwrap();
    quiet(&again).await;

    let (tollgate, admin) = acknowledged().await;
    let tollgate = quiet(&tollgate.kill().unwrap()).await;
    assert_eq!(applications(&admin.at(tollgate.control)).await, NAMES.len());
    let (_, stopped) = tollgate.terminate().unwrap();
    assert!(
        stopped
            .command(&["admin", "reset"])
            .unwrap()
            .status
            .success()
    );
    let tollgate = quiet(&stopped).await;
    let (_, stopped) = tollgate.terminate().unwrap();

    let alone = copied(&stopped.data(), |name| name.ends_with(".db"));
    let tollgate = quiet(&alone).await;
    let admin = Control::administrator(&tollgate).await.unwrap();
    assert_eq!(applications(&admin).await, NAMES.len());
}

#[tokio::test]
async fn a_copy_of_stopped_usage_is_whole_and_its_deletion_is_reported() {
    let house = House::new().await;
    for _ in 0..3 {
        assert_eq!(house.call().await.status, 200);
    }
    let (_, stopped) = house.tollgate.terminate().unwrap();

    let alone = copied(&stopped.data(), |name| name.ends_with(".db"));
    let tollgate = quiet(&alone).await;
    let admin = house.admin.at(tollgate.control);
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["rows"][0]["calls"], 3, "{usage}");
    assert_eq!(usage["losses"], json!([]), "{usage}");

    let deleted = copied(&stopped.data(), |name| name == "tollgate.db");
    let tollgate = deleted.start().unwrap();
    let line = logged(&tollgate, "usage.db is missing").await;
    assert!(line.contains("WARN"), "{line}");
    let admin = house.admin.at(tollgate.control);
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["losses"][0]["reason"], "missing", "{usage}");
}
