use super::*;
use crate::figures::{DIRECT, OURS};
use crate::sample::{Sample, matrix};

fn run() -> Run {
    let sample = Sample {
        seed: 1,
        turns: 3,
        sides: vec![(DIRECT, 0.0), (OURS, 30.0)],
        cells: matrix(&["get"], &[100, 300], &[102]),
        noise: 0.01,
    };
    sample.run()
}

/// The header of performance/benchmarks/summary.csv in github.com/wso2/performance-apim, without
/// the columns about their server.
const THEIRS: &str = "Scenario Name,Heap Size,Concurrent Users,Message Size (Bytes),\
    Back-end Service Delay (ms),Label,# Samples,Error Count,Error %,Throughput (Requests/sec),\
    Average Response Time (ms),Average Users in the System,\
    Standard Deviation of Response Time (ms),Minimum Response Time (ms),\
    Maximum Response Time (ms),75th Percentile of Response Time (ms),\
    90th Percentile of Response Time (ms),95th Percentile of Response Time (ms),\
    98th Percentile of Response Time (ms),99th Percentile of Response Time (ms),\
    99.9th Percentile of Response Time (ms),Received (KB/sec),Sent (KB/sec),";

#[test]
fn the_csv_begins_with_the_columns_that_wso2s_scripts_read() {
    let table = csv(&run()).unwrap();
    assert!(table.starts_with(THEIRS), "{table}");
}

#[test]
fn every_figure_is_in_the_column_with_its_name() {
    let mut run = run();
    run.cells[1].parameters.insert("keys".to_owned(), 10);
    run.cells[1].parameters.insert("limits".to_owned(), 3);
    let table = csv(&run).unwrap();
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    let field = |row: usize, name: &str| {
        let at = columns.iter().position(|column| column == name).unwrap();
        rows[row][at].to_owned()
    };
    assert_eq!(field(2, "Scenario Name"), "get (tollgate)");
    assert_eq!(field(2, "Label"), "keys 10, limits 3");
    assert_eq!(field(3, "Scenario Name"), "get (direct)");
    assert_eq!(field(3, "State"), "load-bound");
    assert_eq!(field(3, "CPU per Request (us)"), "");

    let ours = Measured::from_cell(&run.cells[0], OURS).unwrap();
    let near = |name: &str, expected: f64| {
        let found: f64 = field(0, name).parse().unwrap();
        assert!(
            (found - expected).abs() < 1e-3,
            "{name}: {found}, {expected}"
        );
    };
    near("# Samples", ours.successes as f64);
    near("Throughput (Requests/sec)", ours.per_second);
    near(
        "99th Percentile of Response Time (ms)",
        ours.latency.quantile_us(0.99) as f64 / 1e3,
    );
    near("CPU per Request (us)", ours.cpu_us.unwrap());
    near("Added to Average (ms)", ours.added.unwrap().mean_us / 1e3);
    // The sample's gateway spends 0.3 of its time in user mode, on a saturated core.
    let user: f64 = field(0, "Gateway - CPU - User (%)").parse().unwrap();
    assert!((user - 30.0).abs() < 3.0, "{user}");
}

#[test]
fn json_and_markdown_have_the_same_figures() {
    let run = run();
    let json: serde_json::Value = serde_json::from_str(&json(&run).unwrap()).unwrap();
    let ours = &json["rows"][0];
    assert_eq!(ours["side"], OURS);
    let cost = ours["gateway"]["cpu_us_per_request"].as_f64().unwrap();
    let page = markdown(&run);
    let line = page.lines().find(|line| line.starts_with("| get")).unwrap();
    assert!(line.contains(&format!("| {cost:.1} |")), "{line}");
    assert!(page.contains("Left out: soap-proxy."));
    let direct = page
        .lines()
        .find(|line| line.contains("| direct |"))
        .unwrap();
    assert!(direct.contains("| ≥ "), "{direct}");
}
