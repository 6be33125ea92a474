//! The walk-through of the README, run as written, with `sh`, `curl` and the small `node` service
//! that it publishes.

use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_testkit::upstream::refusing;

use crate::house::first_start;

/// Returns the shell lines of the walk-through, in order.
fn walk() -> String {
    let readme = include_str!("../../../../README.md");
    let walk = readme.split("\n## Publish, subscribe, call\n").nth(1);
    let walk = walk.expect("the README has the walk");
    blocks(walk.split("\n## ").next().unwrap())
}

/// Returns the shell lines of a text, in order.
pub(crate) fn blocks(text: &str) -> String {
    blocks_in(text, "sh")
}

/// Returns the lines in a language of a text, in order.
pub(crate) fn blocks_in(text: &str, language: &str) -> String {
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

/// Waits if the minute is about to end: the walk-through exhausts a limit per minute.
fn wait_for_room_in_the_minute() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let second = now.as_secs() % 60;
    if second > 45 {
        std::thread::sleep(Duration::from_secs(61 - second));
    }
}

#[tokio::test]
async fn the_readme_leads_a_new_user_to_a_counted_call() {
    let tollgate = first_start().start().unwrap();
    let (_, password) = tollgate.password.clone().unwrap();
    let walk = walk()
        .replace("the one-time password that make run printed", &password)
        .replace("127.0.0.1:9000", &tollgate.control.to_string())
        .replace("127.0.0.1:8080", &tollgate.gateway.to_string())
        .replace("3000", &refusing().unwrap().port().to_string());
    // The service runs in the background until the shell ends.
    let script = format!("trap 'kill $!' EXIT\n{walk}");
    let directory = tempfile::tempdir().unwrap();
    wait_for_room_in_the_minute();
    let output = Command::new("timeout")
        .args(["40", "sh", "-e", "-c", &script])
        .current_dir(directory.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{errors}");
    // A body without a final line feed is followed by the next status line directly.
    let statuses = printed.split("HTTP/1.1 ").skip(1);
    let statuses = statuses.filter_map(|rest| rest.get(..3));
    assert_eq!(
        statuses.collect::<Vec<_>>(),
        ["200", "401", "200", "200", "429", "403", "403", "503"],
        "{printed}\n{errors}"
    );
    for expected in ["Rex", "retry-after: ", "\"calls\":1"] {
        assert!(printed.contains(expected), "no {expected:?} in\n{printed}");
    }
}
