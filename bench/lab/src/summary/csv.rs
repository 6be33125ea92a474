//! Writes `summary.csv`; each column is a name and a function of a row.

use super::{Gateway, Row, Summary};
use crate::kept::Run;

/// The value of a column.
enum Value {
    Text(String),
    Count(u64),
    /// A measured figure; empty if there is none.
    Number(Option<f64>),
}

type Column = (&'static str, fn(&Row<'_>) -> Value);

/// The columns of `create-summary-csv.sh`, with the same names and order.
const OF_WSO2: [Column; 23] = [
    ("Scenario Name", |row| Value::Text(series(row))),
    ("Heap Size", |_| Value::Text("none".to_owned())),
    ("Concurrent Users", |row| Value::Count(row.users.into())),
    ("Message Size (Bytes)", |row| {
        Value::Count(row.message_bytes)
    }),
    ("Back-end Service Delay (ms)", |row| {
        Value::Count(row.delay_ms)
    }),
    ("Label", |row| Value::Text(row.parameters.clone())),
    ("# Samples", |row| Value::Count(row.samples)),
    ("Error Count", |row| Value::Count(row.errors)),
    ("Error %", |row| number(row.error_percent)),
    ("Throughput (Requests/sec)", |row| number(row.per_second)),
    ("Average Response Time (ms)", |row| {
        number(row.latency_ms.average)
    }),
    ("Average Users in the System", |row| number(row.users_mean)),
    ("Standard Deviation of Response Time (ms)", |row| {
        number(row.latency_ms.deviation)
    }),
    ("Minimum Response Time (ms)", |row| {
        number(row.latency_ms.minimum)
    }),
    ("Maximum Response Time (ms)", |row| {
        number(row.latency_ms.maximum)
    }),
    ("75th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p75)
    }),
    ("90th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p90)
    }),
    ("95th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p95)
    }),
    ("98th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p98)
    }),
    ("99th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p99)
    }),
    ("99.9th Percentile of Response Time (ms)", |row| {
        number(row.latency_ms.p99_9)
    }),
    ("Received (KB/sec)", |row| {
        number(row.received_kib_per_second)
    }),
    ("Sent (KB/sec)", |row| number(row.sent_kib_per_second)),
];

/// WSO2's columns of the server; theirs are of the whole machine, ours of the gateway's process and
/// cores.
const OF_GATEWAY: [Column; 4] = [
    ("Gateway - System Load Average - Last 1 minute", |row| {
        number(row.load_average)
    }),
    ("Gateway - CPU - User (%)", |row| {
        gateway_figure(row, |gateway| gateway.cpu_user_percent)
    }),
    ("Gateway - CPU - System (%)", |row| {
        gateway_figure(row, |gateway| gateway.cpu_system_percent)
    }),
    ("Gateway - Context switches per second", |row| {
        gateway_figure(row, |it| it.switches_per_second)
    }),
];

/// Columns that WSO2's tables do not have.
const OURS: [Column; 15] = [
    ("Gateway - Memory - Idle After the Run (MiB)", |row| {
        gateway_figure(row, |it| it.memory_idle_mib)
    }),
    ("Gateway - Memory - Peak (MiB)", |row| {
        gateway_figure(row, |gateway| gateway.memory_peak_mib)
    }),
    ("Time in Stalls Above 1 ms (%)", |row| {
        number(row.stalled_percent)
    }),
    ("Scenario", |row| Value::Text(row.scenario.to_owned())),
    ("Side", |row| Value::Text(row.side.to_owned())),
    ("State", |row| Value::Text(row.state.to_owned())),
    ("Rounds", |row| Value::Count(row.rounds as u64)),
    ("Rounds Left Out", |row| {
        Value::Count((row.rounds_all - row.rounds) as u64)
    }),
    ("CPU per Request (us)", |row| {
        gateway_figure(row, |gateway| gateway.cpu_us_per_request)
    }),
    ("Median Response Time (ms)", |row| {
        number(row.latency_ms.p50)
    }),
    ("Added to Average (ms)", |row| {
        Value::Number(row.added_ms.map(|added| added.mean))
    }),
    ("Added to Median (ms)", |row| {
        Value::Number(row.added_ms.map(|added| added.p50))
    }),
    ("Added to 99th Percentile (ms)", |row| {
        Value::Number(row.added_ms.map(|it| it.p99))
    }),
    ("Highest Rate Borne (Requests/sec)", |row| {
        Value::Number(row.peak.map(|peak| peak.per_second))
    }),
    ("Highest Rate Is a Lower Bound", |row| {
        let of_peak = row.peak.map(|peak| peak.is_lower_bound.to_string());
        Value::Text(of_peak.unwrap_or_default())
    }),
];

/// Returns the run's table, with WSO2's columns first.
///
/// # Errors
/// Never fails, since it writes to memory.
pub fn csv(run: &Run) -> anyhow::Result<String> {
    let columns = || OF_WSO2.iter().chain(&OF_GATEWAY).chain(&OURS);
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(columns().map(|(name, _)| *name))?;
    for row in &Summary::from_run(run).rows {
        table.write_record(columns().map(|(_, value)| value(row).to_string()))?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => count.fmt(f),
            Self::Number(Some(number)) => {
                let text = format!("{number:.4}");
                f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::Number(None) => Ok(()),
        }
    }
}

fn series(row: &Row<'_>) -> String {
    format!("{} ({})", row.scenario, row.side)
}

const fn number(value: f64) -> Value {
    Value::Number(Some(value))
}

fn gateway_figure(row: &Row<'_>, figure: impl Fn(&Gateway) -> f64) -> Value {
    Value::Number(row.gateway.as_ref().map(figure))
}
