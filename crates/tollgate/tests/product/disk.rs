//! Full disks. `trouble` uses a disk with a limit on the size of files: the same behaviour from
//! outside, but another error of the operating system.

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};
use tollgate_testkit::{Control, Disk};

use crate::house::{House, builder, first_start};
use crate::start::{counted, logged, sentence};

/// Maximum number of writes that may still succeed on a full disk, in the space already allocated
/// to SQLite's log.
pub(crate) const WRITES_MAX: usize = 400;

/// Mounts a disk of this size, if this machine permits it.
pub(crate) fn disk(bytes: u64) -> Option<Disk> {
    match Disk::of(bytes) {
        Ok(disk) => Some(disk),
        Err(why) => {
            // Not with a macro: its output is hidden for tests that pass.
            let _ = writeln!(std::io::stderr(), "skipped: a full disk ({why})");
            None
        }
    }
}

fn api(name: &str) -> Value {
    json!({ "name": name, "context": format!("/{name}"), "version": "1" })
}

async fn names(admin: &Control) -> Vec<String> {
    let path = "/api/v1/apis?limit=500";
    let listed = admin.done("GET", path, None).await.unwrap();
    let items = listed["items"].as_array().unwrap().iter();
    let mut names: Vec<_> = items
        .map(|api| api["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_full_disk_refuses_whole_writes_and_stops_neither_calls_nor_usage() {
    let Some(disk) = disk(24 << 20) else { return };
    let house = House::with(&builder().on(disk), json!([])).await;
    house.tollgate.fill_disk().unwrap();

    let mut expected = vec!["Pets".to_owned()];
    let mut refused = 0;
    for count in 0..WRITES_MAX {
        let name = format!("a{count:03}");
        let body = api(&name);
        let sent = house.admin.send("POST", "/api/v1/apis", Some(&body));
        let answer = sent.await.unwrap();
        if answer.status == 201 {
            expected.push(name);
            continue;
        }
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (503, "store.full"),
            "{}",
            answer.text()
        );
        refused += 1;
        if refused == 3 {
            break;
        }
    }
    assert_eq!(refused, 3);
    for _ in 0..5 {
        assert_eq!(house.call().await.status, 200);
    }
    assert_eq!(names(&house.admin).await, expected);
    logged(&house.tollgate, "usage cannot be written").await;

    // The data on the full disk is complete: another process can use it.
    let other = first_start();
    fs::create_dir(other.data()).unwrap();
    for name in ["tollgate.db", "tollgate.db-wal", "master.key"] {
        fs::copy(house.tollgate.data().join(name), other.data().join(name)).unwrap();
    }
    let other = other.start().unwrap();
    assert_eq!(names(&house.admin.at(other.control)).await, expected);

    house.tollgate.empty_disk().unwrap();
    let body = api("last");
    house
        .admin
        .done("POST", "/api/v1/apis", Some(&body))
        .await
        .unwrap();
    expected.push("last".to_owned());
    assert_eq!(names(&house.admin).await, expected);
    assert_eq!(house.call().await.status, 200);
    logged(&house.tollgate, "usage is written again").await;
    let usage = counted(&house.admin, 6).await;
    assert_eq!(usage["losses"], json!([]), "{usage}");
}

#[tokio::test]
async fn a_start_on_a_full_disk_ends_with_a_sentence_that_names_the_cause() {
    // No space for the first database, for the index of its log, for the second one.
    for bytes in [128 << 10, 36 << 10, 264 << 10] {
        let Some(disk) = disk(bytes) else { return };
        let message = sentence(&builder().on(disk).command(&["run"]).unwrap());
        assert!(message.contains(" is full"), "{bytes}: {message}");
    }
}
