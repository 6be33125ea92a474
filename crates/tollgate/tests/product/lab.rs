//! The lab's questions to gateways, put to ours: what it measures does the work.

use std::path::Path;

use tollgate_lab::check::ours::Checkable;
use tollgate_lab::check::{self, Checked};
use tollgate_lab::host::Host;

use crate::house::shared;

const BENCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench");
/// The fewest that three applications can have.
const KEYS: u64 = 0;

#[tokio::test]
async fn the_lab_finds_nothing_wrong_with_what_it_measures() {
    let _machine = shared().await;
    let questions = || {
        let (bench, binary) = (Path::new(BENCH), Path::new(env!("CARGO_BIN_EXE_tollgate")));
        let host = Host::here()?;
        let ours = Checkable::new(bench, binary, &host, KEYS)?;
        check::all(vec![Box::new(ours)], host.address, |_| Ok(()))
    };
    let checked = tokio::task::spawn_blocking(questions).await.unwrap();
    let checked = checked.unwrap();
    let is_fine = checked.iter().all(Checked::is_fine);
    assert!(is_fine, "{}", check::table(&checked));
}
