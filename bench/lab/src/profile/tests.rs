use std::path::PathBuf;

use super::*;
use crate::published::Beside;

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn scenarios(profile: &Profile) -> BTreeMap<String, Scenario> {
    let read = |name: &String| (name.clone(), Scenario::read(&bench(), name).unwrap());
    profile.scenarios.iter().map(read).collect()
}

#[test]
fn every_profile_can_be_read_or_names_the_missing_features() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(bench().join("profiles")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        match Profile::read(&bench(), &name) {
            Ok(profile) => {
                let scenarios = scenarios(&profile);
                for mode in profile.modes.keys() {
                    let (cells, _) = profile.cells(&scenarios, mode).unwrap();
                    assert!(!cells.is_empty(), "{name} {mode}");
                }
            }
            Err(error) => {
                let text = format!("{error:#}");
                assert!(
                    text.contains("not yet possible: Tollgate does not have"),
                    "{text}"
                );
            }
        }
        names.push(name);
    }
    names.sort();
    let of_the_design = [
        "access-log",
        "access-log-errors",
        "adobe-cluster3",
        "adobe-single",
        "busy",
        "cache",
        "call",
        "cold-key",
        "credentials",
        "equal-rate",
        "issuing",
        "jwt-first-seen",
        "limits",
        "many-tokens",
        "mediation",
        "quick",
        "rivals",
        "scale",
        "scale-keys",
        "soap",
        "soap-users",
        "tls",
        "tls-both",
        "tls-get",
        "tls-idle",
        "tls-new",
        "tls-resumed",
        "training",
        "twenty",
        "watch",
        "wso2-1.8",
        "wso2-2.1",
        "wso2-3.2",
        "wso2-keypool",
    ];
    assert_eq!(names, of_the_design);
}

#[test]
fn every_cell_of_the_published_plan_of_one_node_has_a_published_row() {
    let profile = Profile::read(&bench(), "adobe-single").unwrap();
    let (cells, left_out) = profile.cells(&scenarios(&profile), "quick").unwrap();
    assert_eq!(left_out, []);
    assert_eq!(cells.len(), 4 * 2 * 4, "services, sizes, numbers of users");
    let beside = Beside::read(&bench().join("published"), profile.published.as_ref()).unwrap();
    for cell in &cells {
        let row = beside.row(&Cell {
            scenario: cell.scenario.clone(),
            users: cell.users,
            message_bytes: cell.message_bytes,
            delay_ms: cell.delay_ms,
            parameters: cell.parameters.clone(),
            open_loop: None,
            rounds: Vec::new(),
        });
        let row = row.unwrap_or_else(|| panic!("{cell:?} has no published row"));
        assert!(
            row.per_second.is_some() && row.added_ms.is_some(),
            "{cell:?}"
        );
    }
}

#[test]
fn cells_that_differ_only_in_their_scenario_are_measured_in_turn_if_configured() {
    let mut profile = Profile::read(&bench(), "adobe-single").unwrap();
    let (cells, _) = profile.cells(&scenarios(&profile), "quick").unwrap();
    let cells: Vec<&PlannedCell> = cells.iter().collect();
    let groups = profile.groups(&cells);
    assert_eq!(groups.len(), 2 * 4);
    for group in &groups {
        let scenarios: Vec<_> = group.iter().map(|cell| cell.scenario.as_str()).collect();
        assert_eq!(scenarios, ["get", "post", "soap-proxy", "soap-to-rest"]);
        let sizes = group.iter().map(|cell| (cell.users, cell.message_bytes));
        assert!(sizes.clone().all(|size| Some(size) == sizes.clone().next()));
    }
    profile.scenarios_in_turn = false;
    assert_eq!(profile.groups(&cells).len(), cells.len());
}

#[test]
fn the_world_varies_one_part_at_a_time() {
    let profile = Profile::read(&bench(), "scale").unwrap();
    let (cells, left_out) = profile.cells(&scenarios(&profile), "quick").unwrap();
    for cell in &cells {
        let (name, &value) = cell.parameters.first_key_value().unwrap();
        let (world, users) = profile.world(name, value).unwrap();
        assert_eq!(
            (cell.world, u64::from(cell.users)),
            (world, u64::from(users))
        );
    }
    assert!(
        left_out
            .iter()
            .any(|it| it.what == "get with keys = 1000000")
    );
    let (full, left_out) = profile.cells(&scenarios(&profile), "full").unwrap();
    assert!(full.len() > cells.len() && left_out.is_empty());
}

#[test]
fn the_small_side_keeps_its_world_while_the_others_vary() {
    let profile = Profile::read(&bench(), "scale-keys").unwrap();
    let large = World {
        keys: 1_000_000,
        ..profile.world
    };
    assert_eq!(profile.world_of(SMALL, large).keys, 1_000);
    assert_eq!(profile.world_of("tollgate", large), large);
}

#[test]
fn the_unlimited_side_has_the_same_world_but_for_its_limits() {
    let profile = Profile::read(&bench(), "call").unwrap();
    let world = profile.world;
    assert_eq!(
        profile.world_of(UNLIMITED, world),
        World { limits: 0, ..world }
    );
    assert_eq!(profile.world_of("tollgate", world), world);
}

#[test]
fn the_plain_side_has_no_settings_of_the_profile() {
    let profile = Profile::read(&bench(), "watch").unwrap();
    assert!(profile.settings_of("tollgate").contains_key("watch.listen"));
    assert!(profile.settings_of(PLAIN).is_empty());
}

#[test]
fn each_turn_begins_with_another_side_if_configured() {
    let mut profile = Profile::read(&bench(), "call").unwrap();
    let sides = ["a", "b", "c"].map(str::to_owned);
    let turns = |profile: &Profile| {
        [0, 1, 2, 3].map(|turn| {
            let sides = profile.in_turn(&sides, turn).map(String::as_str);
            sides.collect::<String>()
        })
    };
    assert_eq!(turns(&profile), ["abc", "bca", "cab", "abc"]);
    profile.rotates = false;
    assert_eq!(turns(&profile), ["abc"; 4]);
}

#[test]
fn an_invalid_profile_is_rejected_with_the_reason() {
    let good = "title = 'x'\nsides = ['direct']\nscenarios = ['get']\nusers = [1]\n\
        message_bytes = [1]\nmodes = { quick = { warm_up_s = 1, measured_s = 1, rounds = 1 } }\n";
    let refused = |text: String| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("profiles")).unwrap();
        std::fs::write(folder.path().join("profiles/p.toml"), text).unwrap();
        Profile::read(folder.path(), "p")
            .map(|_| ())
            .map_err(|error| format!("{error:#}"))
    };
    assert_eq!(refused(good.to_owned()), Ok(()));
    let rows = [
        (
            "users = [1]",
            "users = [0]",
            "users must be between 1 and 20000",
        ),
        (
            "measured_s = 1",
            "measured_s = 0",
            "seconds must be between 1 and 3600",
        ),
        (
            "rounds = 1",
            "rounds = 0",
            "rounds must be between 1 and 100",
        ),
        (
            "message_bytes = [1]",
            "message_bytes = [9999999]",
            "message_bytes must be at most",
        ),
        (
            "sides = ['direct']",
            "sides = []",
            "sides must name at least one side",
        ),
        ("title = 'x'", "titel = 'x'", "unknown field `titel`"),
        (
            "title = 'x'",
            "title = 'x'\nopen_loop = { p99_ms_max = 0.0 }",
            "p99_ms_max must be between 0 and 500, half of the shortest measured time",
        ),
        (
            "title = 'x'",
            "title = 'x'\nopen_loop = { p99_ms_max = 9.0, per_second = 0 }",
            "per_second must be between 1 and 1000000",
        ),
        (
            "title = 'x'",
            "title = 'x'\nscenarios_in_turn = true\nopen_loop = { p99_ms_max = 9.0 }\n\
             ratios = [{ name = 'r', of = 'get', to = 'get', message_bytes = 1 }]",
            "an open loop without per_second has a different rate for each scenario",
        ),
        (
            "title = 'x'",
            "title = 'x'\n\
             differences = [{ name = 'd', of = 'get', to = 'post', message_bytes = 1 }]",
            "its scenarios must be in the profile, with scenarios_in_turn",
        ),
        (
            "users = [1]",
            "users = [1001]\nconnections = 'new'",
            "at most 1000 users can open a connection for each request",
        ),
        (
            "title = 'x'",
            "title = 'x'\nopen_loop = { p99_ms_max = 9.0 }\nthink_ms = 1",
            "think_ms does not apply to an open loop",
        ),
        (
            "title = 'x'",
            "title = 'x'\nsplit = { to = 'nginx-plain', threads = ['nginx'] }",
            "split must name a side of the profile and the threads that serve calls",
        ),
        (
            "title = 'x'",
            "title = 'x'\nvary = [{ name = 'colour', values = [1] }]",
            "\"colour\" cannot vary",
        ),
        (
            "title = 'x'",
            "title = 'x'\nratios = [{ name = 'r', of = 'get', to = 'get', message_bytes = 1 }]",
            "its scenarios must be in the profile, with scenarios_in_turn",
        ),
    ];
    for (from, to, why) in rows {
        let error = refused(good.replace(from, to)).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let error = Profile::read(&bench(), "none").unwrap_err().to_string();
    assert!(
        error.contains("cannot read the profile \"none\""),
        "{error}"
    );
}
