//! Restoring a backup: what was revoked since works again, and the log names it
//! (`docs/guide/operate.md`).

use std::fs;
use std::path::Path;

use tollgate_testkit::{Control, Tollgate, http};

use crate::house::House;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

const PAGE: &str = include_str!("../../../../docs/guide/operate.md");

/// The events in the page's table of actions to repeat.
fn events() -> impl Iterator<Item = &'static str> {
    let table = PAGE.split_once("| event | action to repeat |\n").unwrap().1;
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    words.filter(|word| word.contains('.'))
}

#[test]
fn the_command_of_the_page_finds_each_event_of_its_table() {
    let pattern = PAGE.split_once("grep -E '").unwrap().1;
    let words: Vec<_> = pattern.split_once('\'').unwrap().0.split('|').collect();
    let missed: Vec<_> = events()
        .filter(|event| !words.iter().any(|word| event.contains(word)))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(events().any(|event| event == "key.revoked"));
}

/// Returns the status of a call with this key.
async fn call(tollgate: &Tollgate, key: &str) -> u16 {
    let request = http::request("GET", "/pets/1.0/pets", &[("apikey", key)], b"");
    let answer = http::call(tollgate.gateway, &request).await;
    answer.unwrap().status
}

#[tokio::test]
async fn a_restore_undoes_a_revocation_that_the_log_names() {
    let house = House::new().await;
    let consumer = house.consumer.clone();
    let (_, builder) = house.tollgate.terminate().unwrap();
    let backup = tempfile::tempdir().unwrap();
    copy(&builder.data(), backup.path());

    let tollgate = builder.start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let key = format!("/api/v1/keys/{}", consumer.key_id);
    admin.done("DELETE", &key, None).await.unwrap();
    assert_eq!(call(&tollgate, &consumer.key).await, 401);
    let line = format!("key.revoked: {}", consumer.key_id);
    let log = tollgate.said();
    assert!(log.contains(&line), "{log}");

    let (_, builder) = tollgate.terminate().unwrap();
    fs::remove_dir_all(builder.data()).unwrap();
    copy(backup.path(), &builder.data());
    let tollgate = builder.start().unwrap();
    assert_eq!(call(&tollgate, &consumer.key).await, 200);
}
