use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../published")
}

fn chosen(file: &str, rows: &[(&str, &str)]) -> Published {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Published {
        file: file.to_owned(),
        rows: rows.iter().map(owned).collect(),
        scenarios: BTreeMap::from([("post".to_owned(), "passthrough".to_owned())]),
    }
}

fn cell(scenario: &str, users: u32, message_bytes: u64) -> Cell {
    Cell {
        scenario: scenario.to_owned(),
        users,
        message_bytes,
        delay_ms: 0,
        parameters: BTreeMap::new(),
        open_loop: None,
        rounds: Vec::new(),
    }
}

fn beside(file: &str, rows: &[(&str, &str)]) -> Beside {
    Beside::read(&folder(), Some(&chosen(file, rows))).unwrap()
}

#[test]
fn a_row_of_adobe_is_found_by_scenario_users_and_size() {
    let single = beside("adobe-2016.csv", &[("topology", "single")]);
    let row = single.row(&cell("get", 500, 5120)).unwrap();
    assert_eq!(
        (row.per_second, row.average_ms, row.added_ms, row.p99_ms),
        (Some(12_747.0), Some(38.0), Some(18.7), None)
    );
    assert_eq!(single.row(&cell("get", 3000, 102)), None);
    let cluster = beside("adobe-2016.csv", &[("topology", "cluster3")]);
    assert!(cluster.row(&cell("get", 3000, 102)).is_some());
}

#[test]
fn rows_of_wso2_are_found_under_its_own_names() {
    let wso2 = beside("wso2-c5.large.csv", &[("heap", "2G")]);
    let row = wso2.row(&cell("post", 100, 1024)).unwrap();
    assert_eq!(
        (row.per_second, row.average_ms, row.p99_ms),
        (Some(2_686.0), Some(37.1), Some(164.0))
    );
    // The table has no average for this row.
    let row = wso2.row(&cell("post", 100, 50)).unwrap();
    assert_eq!((row.per_second, row.average_ms), (Some(2_743.0), None));
    assert_eq!(wso2.row(&cell("get", 100, 1024)), None);
}

#[test]
fn a_table_without_scenario_and_size_matches_all() {
    let tuning = beside("wso2-1.8-tuning.csv", &[("gateways", "1")]);
    let row = tuning.row(&cell("get", 300, 102)).unwrap();
    assert_eq!(row.per_second, Some(4_956.0));
    let two = beside("wso2-1.8-tuning.csv", &[("round", "4")]);
    let row = two.row(&cell("get", 300, 102)).unwrap();
    assert_eq!(row.per_second, Some(9_576.6));
}

#[test]
fn a_missing_column_is_named() {
    let wrong = Beside::read(&folder(), Some(&chosen("adobe-2016.csv", &[("kind", "x")])));
    let message = format!("{:#}", wrong.unwrap_err());
    assert!(message.contains("no column is named \"kind\""), "{message}");
    assert_eq!(Beside::read(&folder(), None).unwrap(), Beside::default());
}
