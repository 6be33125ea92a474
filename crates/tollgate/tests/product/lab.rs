//! The lab with a real Tollgate: the measured calls succeed, and its credentials are accepted.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use tollgate_lab::check::ours::Checkable;
use tollgate_lab::check::{self, Checked};
use tollgate_lab::credential::Credential;
use tollgate_lab::host::Host;
use tollgate_lab::scenario::{Callee, Scenario};
use tollgate_lab::tollgate::{Start, Tollgate};
use tollgate_lab::world::World;
use tollgate_testkit::{Behaviour, Upstream};

const BENCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench");
/// The minimum number for three applications.
const KEYS: u64 = 0;

#[tokio::test]
async fn the_lab_finds_no_errors_in_what_it_measures() {
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

/// Calls a Tollgate that the lab has set up.
fn call_with_each_credential() -> anyhow::Result<()> {
    const SCENARIOS: [&str; 4] = ["get", "get-opaque", "get-jwt", "get-basic"];
    let bench = Path::new(BENCH);
    let read = |name: &str| Ok((name.to_owned(), Scenario::read(bench, name)?));
    let scenarios: BTreeMap<_, _> = SCENARIOS
        .into_iter()
        .map(read)
        .collect::<anyhow::Result<_>>()?;
    let (host, upstream) = (Host::here()?, Upstream::start(Behaviour::text("hello"))?);
    let folder = host.folder()?;
    let (stop, settings) = (
        AtomicBool::new(false),
        BTreeMap::from([("gateway.remembered_tokens_max".to_owned(), "1".to_owned())]),
    );
    let start = Start {
        binary: Path::new(env!("CARGO_BIN_EXE_tollgate")),
        host: &host,
        directory: folder.path(),
        upstream: upstream.address(),
        authority: None,
        certificates: None,
        amount: 1_000,
        settings: &settings,
        restarts: true,
        stop: &stop,
    };
    // More than one application may have of a kind.
    let world = World {
        keys: 21,
        revoked_tokens: 3,
        apis: 1,
        limits: 1,
    };
    let mut tollgate = Tollgate::start(start, world, &scenarios)?;
    let calls = |tollgate: &Tollgate| -> anyhow::Result<Vec<u64>> {
        let each = scenarios.iter().map(|(name, scenario)| {
            let call = scenario.call(Callee::Tollgate, 102, 0);
            Ok(tollgate.counted(name, scenario, call)?.0)
        });
        each.collect()
    };
    assert_eq!(
        calls(&tollgate)?,
        [1; 4],
        "each call was let through, and recorded"
    );
    let carried = |tollgate: &Tollgate, kind| tollgate.credentials.of(kind).to_vec();
    let kinds = [
        Credential::ApiKey,
        Credential::Opaque,
        Credential::Jwt,
        Credential::Basic,
    ];
    let before = kinds.map(|kind| carried(&tollgate, kind));
    for all in &before {
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!((all.len(), distinct.len()), (21, 21));
    }
    tollgate.credentials.renew(&tollgate.control, &stop)?;
    for (kind, before) in kinds.into_iter().zip(before) {
        let now = carried(&tollgate, kind);
        let is_kept = now.iter().all(|it| before.contains(it));
        assert_eq!((now.len(), is_kept), (21, !kind.is_token()), "{kind}");
    }
    assert_eq!(calls(&tollgate)?, [2; 4]);
    Ok(())
}

#[tokio::test]
async fn the_credentials_of_the_lab_are_accepted() {
    let called = tokio::task::spawn_blocking(call_with_each_credential);
    called.await.unwrap().unwrap();
}
